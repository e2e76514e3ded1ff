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

// The ports of a pipe.
const (
	MaxPipes      = 4  // SwitchML §5, §6: Wedge100BF-65X
	PortsPerPipe  = 16 // of 100 Gbit/s, likewise
	MaxFrontPorts = MaxPipes * PortsPerPipe
	MaxDevPorts   = 1 << 9 // ig.port has 9 bits

	lanesPerPort = 4  // a port of 100 Gbit/s is four of 25, which have numbers of their own
	recirculates = 68 // behind 64 lanes and the ports of the CPU, as public programs for TNA have it
	pipeShift    = 7
)

// FrontPort returns port n (from 0) of 100 Gbit/s, 16 to a pipe. How a chassis numbers them is
// its maker's choice; here they are in order (assumed).
func FrontPort(n int) DevPort {
	return DevPort(n/PortsPerPipe<<pipeShift | n%PortsPerPipe*lanesPerPort)
}

// Recirculation returns the port for recirculation of a pipe (from 0).
func Recirculation(pipe int) DevPort { return DevPort(pipe<<pipeShift | recirculates) }

// Pipe returns the pipe of the port, from 0.
func (p DevPort) Pipe() int { return int(p >> pipeShift) }

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
