package rig

import (
	"net/netip"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Router is the address of every switch.
var Router = netip.AddrFrom4([4]byte{10, 0, 0, 254})

// group is that of the workers together.
var group = netip.AddrFrom4([4]byte{239, 0, 0, 1})

// Worker returns the address of a worker.
func Worker(w int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(w + 1)}) }

func mac(w int) inet.MAC { return inet.MAC{2, 0, 0, 0, 0, byte(w)} }

// Up returns the flow of a worker's packets between two UDP ports.
func Up(w int, from, to uint16) inet.Flow {
	return inet.Flow{SrcMAC: mac(w), DstMAC: inet.MAC{2, 1}, Src: Worker(w), Dst: Router, SrcPort: from, DstPort: to}
}

// Ports returns ports 0 to n-1.
func Ports(n int) (out []sansio.Port) {
	for p := range n {
		out = append(out, sansio.Port(p))
	}
	return out
}

// Value is what source s sends: such that every set of sources has a sum of its own,
// even with one of them twice.
func Value(s int) int32 {
	v := int32(1)
	for range s {
		v *= 3
	}
	return v
}

// SumOf is the sum over n sources.
func SumOf(n int) (sum int32) {
	for s := range n {
		sum += Value(s)
	}
	return sum
}
