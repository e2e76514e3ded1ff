package netns

import (
	"fmt"
	"net/netip"
	"runtime"
	"testing"
	"time"
)

// star is n hosts on one switch whose ports have no addresses.
func star(lab string, n int) Spec {
	spec := Spec{Lab: lab, Nodes: []Node{{Name: "s1"}}}
	for i := range n {
		host := fmt.Sprintf("h%d", i)
		addr := netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)})
		spec.Nodes = append(spec.Nodes, Node{Name: host})
		spec.Wires = append(spec.Wires, Wire{
			A: End{Node: host, Iface: "eth0", MAC: [6]byte{2, 1, 0, 0, byte(i >> 8), byte(i)}, Addr: netip.PrefixFrom(addr, 16), Offload: true},
			B: End{Node: "s1", Iface: fmt.Sprintf("p%d", i), MAC: [6]byte{2, 2, 0, 0, byte(i >> 8), byte(i)}, Offload: true},
		})
	}
	return spec
}

func BenchmarkUpDown(b *testing.B) {
	needRoot(b)
	for _, hosts := range []int{64, 512} {
		for _, threads := range []int{1, runtime.NumCPU()} {
			b.Run(fmt.Sprintf("hosts=%d/threads=%d", hosts, threads), func(b *testing.B) {
				state := b.TempDir()
				var upTime, downTime time.Duration
				for b.Loop() {
					start := time.Now()
					l, err := Up(b.Context(), star(NewLabName(), hosts), Options{StateDir: state, Threads: threads})
					if err != nil {
						b.Fatal(err)
					}
					ready := time.Now()
					if err := l.Down(); err != nil {
						b.Fatal(err)
					}
					upTime += ready.Sub(start)
					downTime += time.Since(ready)
				}
				b.ReportMetric(upTime.Seconds()/float64(b.N), "up_s/op")
				b.ReportMetric(downTime.Seconds()/float64(b.N), "down_s/op")
			})
		}
	}
}
