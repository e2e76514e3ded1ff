package microcode

import (
	"fmt"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/reference"
)

// BenchmarkAggregate compares the reference program with the Microcode on packets
// of four sources, a window of blocks at a time. The rate is that of gradients in.
func BenchmarkAggregate(b *testing.B) {
	for _, grads := range []int{64, 1024} {
		for _, name := range []string{"reference", "microcode"} {
			b.Run(fmt.Sprintf("%s/%d", name, grads), func(b *testing.B) {
				cfg := trioml.Config{Node: "pfe", Jobs: []trioml.Job{testJob(1, 4)}}
				var e dataplane.Engine
				var err error
				if name == "reference" {
					e, err = reference.New(cfg)
				} else {
					e, err = New(cfg, Options{})
				}
				if err != nil {
					b.Fatal(err)
				}
				aggregate(b, e, grads)
			})
		}
	}
}

func aggregate(b *testing.B, e dataplane.Engine, grads int) {
	const window = 64
	var in []sansio.Arrival
	for block := range uint32(window) {
		for s := range uint8(4) {
			in = append(in, arrival(packet(wire.Header{Job: 1, Block: block, Source: s, SrcCnt: 1}, make([]int32, grads)...)))
		}
	}
	var eff sansio.Effects
	b.SetBytes(int64(4 * grads * len(in)))
	gen := uint16(0)
	for b.Loop() {
		gen++
		for i := range in {
			body := in[i].Train.Body
			body[8], body[9] = byte(gen>>8), byte(gen)
			e.Handle(0, in[i:i+1], &eff)
		}
		if len(eff.Sends) == 0 {
			b.Fatal("there are no results")
		}
		eff.Reset()
	}
}
