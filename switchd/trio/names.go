package trio

import (
	"fmt"
	"strings"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// Names of what every PFE counts. Packets that came in are forwarded, consumed,
// dropped under a reason, or still inside.
const (
	CountPackets   = "pfe-packets"   // that came in
	CountForwarded = "pfe-forwarded" // that were sent on
	CountConsumed  = "pfe-consumed"  // whose thread ended without forwarding or dropping them
	CountCreated   = "pfe-created"   // that threads created and sent
	CountRuns      = "pfe-timer-runs"
	CountEvents    = "pfe-events" // threads that events started
	// CountNested: statistics events by threads of statistics entries, which start none.
	CountNested = "pfe-statistics-nested"
	// CountNotSent: packets that threads created and never sent.
	CountNotSent = "pfe-created-not-sent"
	// CountLateFaults: faults of threads whose packet had already gone.
	CountLateFaults = "pfe-faults-without-packet"
	// CountNothing: Forward or Drop of a thread that has no packet to send.
	CountNothing = "pfe-nothing-to-send"
)

// Reasons for which the PFE itself drops packets, in addition to the faults of vm, which
// are counted with the same prefix.
const (
	DropQueue      = "pfe-dispatch-queue-full"
	DropMemory     = "pfe-packet-memory-full"
	DropNextHop    = "pfe-unknown-next-hop"
	DropHeadLength = "pfe-created-head-length"        // PacketCreate with a head that is no frame or not in LMEM
	DropTailLength = "pfe-created-too-long"           // TailWrite beyond the longest packet
	DropNoRoom     = "pfe-created-packet-memory-full" // no packet memory for a created packet: its thread is at its end
	DropNoTail     = "pfe-tail-write-without-packet"
	DropPush       = "pfe-header-push-out-of-range" // no bytes, beyond the room before the head, or beyond the longest packet
	DropPull       = "pfe-header-pull-out-of-range" // no bytes, or less left than an Ethernet header
	DropNoHeader   = "pfe-header-without-packet"
	DropUnnamed    = "pfe-drop-unnamed"   // Drop with one number too many that no constant names
	DropEvent      = "pfe-event-lost"     // no packet: an event that the full dispatch queue refused
	DropTimer      = "pfe-timer-run-lost" // no packet: a run that the full dispatch queue refused, or whose part still had a thread at work
)

// faultName is the reason of a fault of a thread.
func faultName(f vm.Fault) string {
	return faultNames[min(int(f), len(faultNames)-1)]
}

// faultNames are made once, since a drop must not allocate.
var faultNames = func() (names [vm.NoEntry + 1]string) {
	for f := range names {
		names[f] = "pfe-" + vm.Fault(f).String()
	}
	return names
}()

// dropPrefix is how the constants of a program begin that Drop takes.
const dropPrefix = "DROP_"

// reason is a reason of the program: an argument of Drop, and its counter.
type reason struct {
	value uint64
	name  string
	n     uint64
}

// reasonsOf lists the constants of a program that Drop takes: those that are
// exported and called DROP_something.
func reasonsOf(prog *isa.Program, prefix string) (out []reason) {
	for _, s := range prog.Symbols {
		if rest, ok := strings.CutPrefix(s.Name, dropPrefix); ok && s.Export && s.Kind == isa.SymbolConst {
			out = append(out, reason{value: s.Value, name: prefix + "-" + dashed(rest)})
		}
	}
	return out
}

// discard counts a packet under an argument of Drop, and returns the counter's
// name.
func (p *PFE) discard(value uint64) string {
	for i := range p.reasons {
		if r := &p.reasons[i]; r.value == value {
			r.n++
			return r.name
		}
	}
	if len(p.reasons) >= maxReasons {
		p.count.Add(DropUnnamed, 1)
		return DropUnnamed
	}
	p.reasons = append(p.reasons, reason{value, fmt.Sprintf("%s-drop-%d", p.prefix, value), 1})
	return p.reasons[len(p.reasons)-1].name
}

// maxReasons bounds the counters that a program can make by dropping for numbers
// without a name (assumed).
const maxReasons = 256

// dashed makes a counter's name of one of the source.
func dashed(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "-")) }

// prefixOf returns the configured prefix, or the program's name up to a dot.
func prefixOf(c *Config) string {
	if c.Counters != "" {
		return c.Counters
	}
	name, _, _ := strings.Cut(c.Program.Name[strings.LastIndexByte(c.Program.Name, '/')+1:], ".")
	return dashed(name)
}

// Counters returns what the PFE counts, what the program drops for, by the names
// of its constants, and the counters of shared memory that it exports: packets
// under the name itself, bytes under the name and "-bytes".
func (p *PFE) Counters() []sansio.Count {
	var t sansio.Tally
	t.Merge(p.count.List())
	for _, r := range p.reasons {
		if r.n > 0 {
			t.Add(r.name, r.n)
		}
	}
	for _, s := range p.cfg.Program.Symbols {
		if s.Export && s.Kind == isa.SymbolCounter {
			p.addCounters(&t, s)
		}
	}
	return t.List()
}

// maxListed bounds the elements of an array of counters that are listed (assumed).
const maxListed = 1024

// counterWords is what one counter takes: 16 bytes (trio §3.2).
const counterWords = mem.CounterBytes / mem.WordBytes

func (p *PFE) addCounters(t *sansio.Tally, s isa.Symbol) {
	name := p.prefix + "-" + dashed(s.Name)
	for i := range min(s.Len, maxListed) {
		one := name
		if s.Len > 1 {
			one = fmt.Sprintf("%s-%d", name, i)
		}
		packets, bytes, _ := p.memory.Counter(mem.Addr(s.Value + i*counterWords)) // New has seen that it is there
		if packets > 0 {
			t.Add(one, packets)
			if bytes > 0 { // some are of things that have none
				t.Add(one+"-bytes", bytes)
			}
		}
	}
}
