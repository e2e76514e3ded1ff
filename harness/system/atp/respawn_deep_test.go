package atp

import (
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	wire "github.com/inalab/inalab/internal/wire/atp"
	host "github.com/inalab/inalab/nodes/atp"
	server "github.com/inalab/inalab/nodes/atpps"
	program "github.com/inalab/inalab/switchd/program/atp"
)

// The stage of workers that come and go, with three levels: tor0, the switch between the racks, and tor1.
const (
	deepLevels = 3
	between    = 2
	downlinkAt = sansio.Port(9) // of the switch between them
)

func (u *where) port() uint16 {
	if u.deep {
		return wire.DeepPort
	}
	return wire.Port
}

// known is what a server knows of a set-up.
func (u *where) known() (levels int, racks []server.Rack, paths [][]uint8) {
	if !u.deep {
		return 0, u.ringsOf(), nil
	}
	for w := range u.racks {
		paths = append(paths, u.path(w))
	}
	return deepLevels, nil, paths
}

// in returns the workers in a rack.
func (u *where) in(rack int) (out []uint8) {
	for w, r := range u.racks {
		if r == rack {
			out = append(out, uint8(w))
		}
	}
	return out
}

// path returns the bits of a worker from tor1 down. There the first bit is that of the switch between the racks.
func (u *where) path(w int) []uint8 {
	k := uint8(slices.Index(u.in(u.racks[w]), uint8(w)))
	switch {
	case u.racks[w] == 0:
		return []uint8{0, 0, k}
	case len(u.in(0)) > 0:
		k++
	}
	return []uint8{k}
}

// toServerDeep fills in the bits of a worker.
func (u *where) toServerDeep(w int, out *host.Server) {
	top := len(u.in(1)) + min(1, len(u.in(0)))
	path := u.path(w)
	out.Bitmaps, out.FanIns = [2]uint32{1, 1}, [2]uint8{1, 1}
	out.Upper = wire.Upper{Levels: deepLevels, Level: deepLevels - 1, Bitmaps: [4]uint32{1 << path[0]}, FanIns: [4]uint8{uint8(top)}}
	if len(path) == deepLevels {
		out.Upper.Level, out.Bitmaps[0], out.FanIns[0] = 0, 1<<path[2], uint8(len(u.in(0)))
	}
}

// addDeep fills in what a switch adds.
func (u *where) addDeep(rack int, s *program.Server) {
	var l program.Level
	below := u.in(0)
	if rack != 0 && len(below) > 0 {
		at := downlinkAt
		if rack == 1 {
			at = uplinkAt
		}
		l.Sources = append(l.Sources, program.Source{Ports: []sansio.Port{at}, Name: "below", Workers: below})
	}
	if rack != between {
		for _, w := range u.in(rack) {
			path := u.path(int(w))
			l.Sources = append(l.Sources, program.Source{Bit: path[len(path)-1], Ports: []sansio.Port{sansio.Port(w)}, Name: "worker", Workers: []uint8{w}})
		}
	}
	switch rack {
	case 0:
		s.Levels[0] = l
	case between:
		s.Levels[1] = l
	default:
		s.Upper = []program.Level{l}
	}
}
