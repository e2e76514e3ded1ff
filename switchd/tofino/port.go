package tofino

import (
	"fmt"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// DevPort is the number of a port on the chip: its pipe in bits 7 and 8, its place in
// the pipe below.
type DevPort uint16

// The ports of a pipe: 18 quads of four lanes (TNA 12.1). Each is one port of 100 Gbit/s here,
// which has the number of its first lane; the other lanes have none then.
const (
	MaxPipes      = 4  // SwitchML §5, §6: Wedge100BF-65X
	PortsPerPipe  = 16 // at the front: quads 0 to 15
	MaxFrontPorts = MaxPipes * PortsPerPipe
	MaxDevPorts   = 1 << 9 // ig.port has 9 bits

	quadsPerPipe  = 18
	lanesPerPort  = 4
	cpuQuad       = 16 // see Quad16
	generatorQuad = 17 // see Recirculation
	pipeShift     = 7
)

// FrontPort returns port n (from 0) of 100 Gbit/s, 16 to a pipe. How a chassis numbers them is
// its maker's choice; here they are in order (assumed).
func FrontPort(n int) DevPort {
	return DevPort(n/PortsPerPipe<<pipeShift | n%PortsPerPipe*lanesPerPort)
}

// Recirculation returns quad 17 of a pipe (from 0): 68, 196, 324 or 452. It leads back into the
// pipe, beside its packet generator.
func Recirculation(pipe int) DevPort { return internal(pipe, generatorQuad) }

// Quad16 returns quad 16 of a pipe (from 0): 64, 192, 320 or 448. If Config.Loopback names it, it
// also leads back: in pipe 0 it is the Ethernet port of a CPU, which has a loopback mode as
// front ports have, in others one more for recirculation. In pipe 2, in pipe 1 of a chip of
// two, it is the PCIe port of the CPU, and leads nowhere here (TNA 12.1, tables 8 and 9).
func Quad16(pipe int) DevPort { return internal(pipe, cpuQuad) }

func internal(pipe, quad int) DevPort { return DevPort(pipe<<pipeShift | quad*lanesPerPort) }

// Pipe returns the pipe of the port, from 0.
func (p DevPort) Pipe() int { return int(p >> pipeShift) }

// quad returns the quad of the port in its pipe, from 0.
func (p DevPort) quad() int { return int(p) & (1<<pipeShift - 1) / lanesPerPort }

// pciePipe is the pipe whose quad 16 is the PCIe port (TNA 12.1; of 1 or 3 pipes assumed).
func pciePipe(pipes int) int {
	if pipes == 2 {
		return 1
	}
	return 2
}

// absent says why a chip of so many pipes has no such port of 100 Gbit/s; "": it has.
func (p DevPort) absent(pipes int) string {
	switch {
	case p.Pipe() >= pipes:
		return fmt.Sprintf("the chip has pipes 0 to %d", pipes-1)
	case p.quad() >= quadsPerPipe:
		return fmt.Sprintf("a pipe has quads 0 to %d, of %d lanes each", quadsPerPipe-1, lanesPerPort)
	case p%lanesPerPort != 0:
		return fmt.Sprintf("quad %d is one port of 100 Gbit/s, which has the number of its first lane: %v", p.quad(), p-p%lanesPerPort)
	case p.quad() == cpuQuad && p.Pipe() == pciePipe(pipes):
		return fmt.Sprintf("it is the PCIe port of the CPU, which does not lead back: use %v, or a front port of the pipe in loopback mode",
			Recirculation(p.Pipe()))
	}
	return ""
}

// String returns pipe and place, such as "1/68".
func (p DevPort) String() string { return fmt.Sprintf("%d/%d", p.Pipe(), p&(1<<pipeShift-1)) }

// Port says which port of the chassis a port of the chip is.
type Port struct {
	Front sansio.Port
	Dev   DevPort
}

// FrontPorts returns the ports of a chassis that has those from 0 to n-1, in order.
func FrontPorts(n int) (out []Port) {
	for i := range n {
		out = append(out, Port{sansio.Port(i), FrontPort(i)})
	}
	return out
}

// portKind says what becomes of what leaves by a port.
type portKind uint8

const (
	frontPort portKind = iota
	loopbackPort
	recirculationPort
)

// kindOf returns the kind of a port that leads back.
func kindOf(p DevPort) portKind {
	if p.quad() == generatorQuad || p.quad() == cpuQuad && p.Pipe() > 0 {
		return recirculationPort
	}
	return loopbackPort
}

func (k portKind) String() string { return [...]string{"front", "loopback", "recirculation"}[k] }

// port is a port that is in use.
type port struct {
	dev   DevPort
	kind  portKind
	front sansio.Port
	exit  *exit // of a front port

	queues  []queue // timed mode; by number, as far as used
	turn    int     // queue whose turn is next
	waiting int     // packets in queues
	due     bool    // there is an event for the next one
	input   *way    // into the ingress, where packets may be resubmitted; else nil
	line    units.Serializer
	free    units.Time // when the last packet is out
	busy    units.Duration
	stat    portStat
	random  [2]*rng.Stream // of passes that come by the port, and that leave by it; nil where the program takes none
}

// portStat is what has happened at a port.
type portStat struct {
	in, out           uint64
	inBytes, outBytes units.Bytes
	marked, dropped   uint64
}

// queue is a queue of a port.
type queue struct {
	line
	cells, most int
}

// line is a list of packets, first in, first out. A packet is in one at most.
type line struct {
	first, last *packet
}

func (l *line) push(k *packet) {
	k.next = nil
	if l.first == nil {
		l.first = k
	} else {
		l.last.next = k
	}
	l.last = k
}

// pop takes the first packet out; nil: there is none.
func (l *line) pop() *packet {
	k := l.first
	if k != nil {
		l.first, k.next = k.next, nil
	}
	return k
}
