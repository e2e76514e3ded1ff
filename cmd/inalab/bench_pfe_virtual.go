package main

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/reports/bench"
	"github.com/inalab/inalab/reports/stat"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/microcode"
	"github.com/inalab/inalab/switchd/trio"
)

// pfeBlocks is how many blocks a run under the virtual clock aggregates.
const pfeBlocks = 4000

// pfeLoad is the share of what the adders bear at which packets come.
const pfeLoad = 0.9

// simulate measures how fast a PFE with time is simulated.
func (f pfeFlags) simulate() ([]bench.PFEVirtual, error) {
	var out []bench.PFEVirtual
	for _, carries := range []string{bench.Payload, bench.Lengths} {
		var walls []float64
		var row bench.PFEVirtual
		for range f.repeat {
			began := time.Now()
			r, err := f.aggregate(carries == bench.Lengths)
			if err != nil {
				return nil, err
			}
			walls = append(walls, time.Since(began).Seconds())
			row = r
		}
		wall, _ := stat.Median(walls)
		row.Carries, row.WallS, row.Repeats = carries, wall, len(walls)
		row.PacketRate, row.XTXNRate, row.Instructions = float64(row.Packets)/wall, row.XTXNRate/wall, row.Instructions/wall
		out = append(out, row)
	}
	return out, nil
}

// aggregate runs blocks through one PFE, and returns what that was, in total.
func (f pfeFlags) aggregate(lengths bool) (row bench.PFEVirtual, err error) {
	sources := make([]uint8, f.workers)
	for i := range sources {
		sources[i] = uint8(i)
	}
	flow := inet.Flow{
		Src: netip.AddrFrom4([4]byte{10, 0, 0, 1}), Dst: netip.AddrFrom4([4]byte{239, 0, 0, 1}), SrcPort: wire.Port, DstPort: wire.Port,
	}
	timing := trio.DefaultTiming()
	engine, err := microcode.New(trioml.Config{
		Node: "pfe", NoAging: true, Jobs: []trioml.Job{{Sources: sources, Out: flow, To: []sansio.Port{0}}},
	}, microcode.Options{Timing: &timing})
	if err != nil {
		return row, err
	}
	gap := units.Duration(float64(f.grads) / (pfeLoad * 6e9) * float64(units.Second)) // 6e9 additions a second (Trio §6.3)
	packet := f.packet(flow, lengths)
	var eff sansio.Effects
	now, results := units.Time(0), 0
	for b := range pfeBlocks {
		for _, s := range sources {
			wire.Header{Source: s, SrcCnt: 1, Grads: uint16(f.grads), Block: uint32(b)}.Put(packet.Body)
			eff.Reset()
			engine.Handle(now, []sansio.Arrival{{Train: packet}}, &eff)
			results += frames(&eff)
			now = now.Add(gap)
		}
	}
	for results < pfeBlocks {
		at := engine.NextDeadline()
		if at == units.Never {
			return row, fmt.Errorf("the PFE has nothing to do after %d of %d blocks", results, pfeBlocks)
		}
		eff.Reset()
		engine.Expire(at, &eff)
		results += frames(&eff)
	}
	row.Packets, row.Instructions = uint64(pfeBlocks*f.workers), float64(engine.Instructions())
	for _, x := range engine.Snapshot().XTXNs {
		row.XTXNRate += float64(x.N)
	}
	return row, nil
}

func (f pfeFlags) packet(flow inet.Flow, lengths bool) sansio.Train {
	body, pad := wire.HeaderLen+4*f.grads, 0
	if lengths {
		body, pad = wire.HeaderLen, 4*f.grads
	}
	header := inet.UDPHeader(flow)
	inet.SetUDPBody(header, body+pad)
	return sansio.Train{Header: header, Body: make([]byte, body), Pad: pad}
}

// frames counts what was sent.
func frames(eff *sansio.Effects) (n int) {
	for i := range eff.Sends {
		n += eff.Sends[i].Train.Frames()
	}
	return n
}
