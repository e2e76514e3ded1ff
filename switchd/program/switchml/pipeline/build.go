package pipeline

import (
	"slices"

	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// What the parser asks of a packet.
const (
	etherIPv4 = 0x0800
	plainIPv4 = 0x45 // without options
	protoUDP  = 17
	fragments = 0x3fff // offset and more-fragments of the fragment field
)

// Numbers of device ports: pipe, port of the pipe, channel.
const (
	pipeBits      = 7
	channelBits   = 2
	portsPerPipe  = 16
	quad16        = 64 // of pipe 0, behind its 64 channels
	recirculation = 68 // of pipe 0: quad 17
)

// Sizes of tables; all assumed.
const (
	portEntries  = 288  // ports that can lose packets: those of four pipes with their channels
	peerEntries  = 512  // workers and parents of all jobs: a block of TCAM
	maxReceivers = 1024 // workers of all jobs
	maxJobs      = 256
	// spareNumbers is how many numbers of multicast groups and receivers there are for each
	// that can be in use: none comes back while packets with it are still inside.
	spareNumbers = 16
)

// builder makes the program.
type builder struct {
	p        ir.Program
	faithful bool
	half     bool   // values are 16-bit floats
	full     bool   // of all exponents, which does not fit
	rdma     bool   // packets are those of RoCEv2
	mac      uint64 // of the switch
	addr     uint64
	tos      uint64 // type of service of what the switch sends
}

// program returns the program for a switch with these addresses. A faithful one has
// the hazards of Algorithm 3, and the public program's ports with the half that is misread
// by one of them.
func (b *builder) program() *ir.Program {
	b.p = ir.Program{Name: "switchml", Headers: b.headers(), Metadata: metadata(), Registers: b.registers()}
	if b.half {
		b.p.Name = "switchml-half"
		b.p.Metadata = append(b.p.Metadata, halfMetadata()...)
	}
	if b.rdma {
		return b.rdmaProgram()
	}
	b.arrive()
	b.state()
	if b.half {
		b.halfTables()
	} else {
		b.values()
	}
	b.route()
	b.p.Ingress = b.ingress()
	b.p.Egress = b.egress()
	return &b.p
}

func (b *builder) ingress() ir.Gress {
	first := b.valueHeaders()[0].Name // valid where values were taken from the packet
	fresh := []ir.Step{
		apply(tableArrivals), apply("start"), b.peer(),
		{If: &ir.Cond{Left: "meta.role", Op: ir.NotEqual}, Then: []ir.Step{
			{If: &ir.Cond{Valid: first}, Then: b.accepted(), Else: []ir.Step{
				apply("form"), malformed(),
			}},
		}},
	}
	resumed := []ir.Step{apply(tableJobs), {If: &ir.Cond{Valid: first}, Else: []ir.Step{apply("room")}}}
	wanted := &ir.Cond{Left: "meta.go", Op: ir.Equal, Right: ir.C(1)}
	last := []ir.Step{apply("route"),
		{If: &ir.Cond{Left: "meta.verdict", Op: ir.Greater, Right: ir.C(verdictUnicast)}, Then: []ir.Step{apply(tableParents)}}}
	control := []ir.Step{
		{If: resumes(), Then: resumed, Else: fresh}, b.memory(),
		{If: wanted, Then: append([]ir.Step{apply("values")}, last...)},
	}
	if b.half {
		control = b.halfControl(fresh, wanted, last)
	}
	return ir.Gress{
		Parser:  b.parser(),
		Control: control,
		Deparse: b.deparse(),
	}
}

// deparse lists the headers in the order in which they are written.
func (b *builder) deparse() []string {
	out := []string{"md", "eth", "ipv4", "udp"}
	for _, h := range slices.Concat(b.transport(), b.valueHeaders()) {
		out = append(out, h.Name)
	}
	return out
}

// malformed are the steps for a packet without values that the parser takes, in the
// order in which the reference program looks: an IP length that the frame has no room for,
// a UDP length that the IP packet has no room for, what SwitchML says of itself, and last
// the size of another job.
func malformed() ir.Step {
	step := apply("other_size")
	for _, c := range []struct {
		left  string
		op    ir.Relation
		right ir.Operand
		then  string
	}{
		{"ig.bytes", ir.Greater, ir.F("meta.frame"), "trailing"},
		{"udp.length", ir.Greater, ir.F("meta.length"), "oversized"},
		{"udp.length", ir.Less, ir.F("meta.length"), "truncated"},
		{"meta.fault", ir.NotEqual, ir.C(0), "malformed"},
		{"udp.length", ir.Less, ir.C(inet.UDPLen), "short_udp_length"},
		{"udp.length", ir.Greater, ir.F("meta.inside"), "bad_udp_length"},
		{"ipv4.length", ir.Greater, ir.F("meta.room"), "bad_ip_length"},
		{"ipv4.length", ir.Less, ir.C(inet.IPv4Len), "short_ip_length"},
	} {
		step = when(ir.Cond{Left: c.left, Op: c.op, Right: c.right}, apply(c.then), step)
	}
	return step
}

// accepted are the steps for a packet of a peer, with values of a size that there is.
func (b *builder) accepted() []ir.Step {
	state := applied("admit", "spread")
	if !b.faithful {
		state = append(state, applied("stamp0", "stamp1")...)
	}
	return []ir.Step{
		when(ir.Cond{Left: "meta.dice", Op: ir.Less, Right: ir.F("meta.limit")}, apply("lost"),
			when(ir.Cond{Left: "sml.size", Op: ir.NotEqual, Right: ir.F("meta.size")}, apply("wrong_size"),
				ir.Step{
					If:   &ir.Cond{Left: "meta.slot", Op: ir.Less, Right: ir.F("meta.slots")},
					Then: []ir.Step{{If: &ir.Cond{Left: "meta.role", Op: ir.Equal, Right: ir.C(roleMember)}, Then: state, Else: []ir.Step{apply("descend")}}},
					Else: []ir.Step{apply("out_of_pool")},
				})),
	}
}

// peer is the table that tells whose packet it is. There is another for bytes of the first
// quarter, as a job's count of quarters takes them in by another action.
func (b *builder) peer() ir.Step {
	if b.faithful {
		return apply(tablePeers)
	}
	return when(ir.Cond{Left: "sml.job", Op: ir.Less, Right: ir.C(quarter)}, apply(tableFirstPeers), apply(tablePeers))
}

// resumes holds for packets that a pass before has taken up.
func resumes() *ir.Cond { return &ir.Cond{Valid: "md"} }

// further holds where a pass that adds follows, which judges the packet.
func (b *builder) further() *ir.Cond {
	if b.half {
		return &ir.Cond{Left: "md.pass", Op: ir.Less, Right: ir.C(lastHalf)}
	}
	return &ir.Cond{Left: b.size(), Op: ir.Equal, Right: ir.C(size256), And: &ir.Cond{Left: "md.pass", Op: ir.Less, Right: ir.C(lastConsume)}}
}

// memory are the steps of every pass that adds, which read and write what is known of a
// slot in its pipe: so that what counts in one has counted in all before, whatever is
// lost between them. Counter and exponents are needed in the last alone.
func (b *builder) memory() ir.Step {
	adds := &ir.Cond{Left: "meta.go", Op: ir.Equal, Right: ir.C(1), And: &ir.Cond{Left: "meta.op", Op: ir.Equal, Right: ir.C(opDecide)}}
	return ir.Step{If: adds, Then: append(applied("bitmap"), b.judgement()...)}
}

// judgement are the steps of the last pass that adds.
func (b *builder) judgement() []ir.Step {
	return []ir.Step{{If: b.further(), Else: applied("counter", "exponent0", "exponent1", "again", "verdict")}}
}

// parser takes the headers of the public client, and 64 values of those that are
// still to be added. What comes by a port of pipes 1 to 3 or by quad 16 or 17 of pipe 0 has
// been here before: workers are at the other ports of pipe 0.
func (b *builder) parser() []ir.State {
	sized := func(size uint64) ir.Case {
		return ir.Case{Values: []uint64{uint64(wire.TypeConsume), size, udpLength(wire.SizeEnum(size).Elements())}, Next: numbered("length", int(size))}
	}
	list, values := []uint64{size64, size256}, wordParser()
	if b.half {
		list, values = []uint64{sizeHalf}, halfParser()
	}
	var sizes []ir.Case
	for _, size := range list {
		udp := udpLength(wire.SizeEnum(size).Elements())
		sizes = append(sizes, sized(size))
		values = append(values, ir.State{Name: numbered("length", int(size)), Select: []string{"ipv4.length", "ig.bytes"}, Next: ir.Accept, Cases: []ir.Case{
			{Values: []uint64{udp + inet.IPv4Len, udp + inet.IPv4Len + inet.EtherLen}, Next: "values"},
		}})
	}
	udp := ir.State{Name: "udp", Extract: []string{"udp", "sml"}, Select: []string{"sml.type", "sml.size", "udp.length"}, Cases: sizes, Next: ir.Accept}
	return slices.Concat(b.lowerParser(), []ir.State{udp}, values)
}

// lowerParser are the states up to that of UDP, or to "back" for packets between two
// passes.
func (b *builder) lowerParser() []ir.State {
	back := func(port, mask uint64) ir.Case {
		return ir.Case{Values: []uint64{port}, Masks: []uint64{mask}, Next: "back"}
	}
	const pipe, port = 3 << pipeBits, 1<<9 - 1
	return []ir.State{
		{Name: "start", Select: []string{"ig.port"}, Next: "ethernet", Cases: []ir.Case{
			back(1<<pipeBits, pipe), back(2<<pipeBits, pipe), back(3<<pipeBits, pipe), back(quad16, port), back(recirculation, port),
		}},
		{Name: "ethernet", Extract: []string{"eth"}, Select: []string{"eth.type"}, Cases: []ir.Case{{Values: []uint64{etherIPv4}, Next: "ipv4"}}},
		{Name: "ipv4", Extract: []string{"ipv4"}, Select: []string{"ipv4.version_ihl", "ipv4.protocol", "ipv4.fragment"}, Cases: []ir.Case{
			{Values: []uint64{plainIPv4, protoUDP, 0}, Masks: []uint64{0xff, 0xff, fragments}, Next: "udp"},
		}},
	}
}

// wordParser are the states behind the header of SwitchML.
func wordParser() []ir.State {
	back := ir.State{Name: "back", Extract: []string{"md", "eth", "ipv4", "udp", "sml"}, Select: []string{"md.pass"}, Next: ir.Accept}
	for pass := range uint64(lastConsume + 1) {
		back.Cases = append(back.Cases, ir.Case{Values: []uint64{pass}, Next: "values"})
	}
	return []ir.State{back, {Name: "values", Extract: []string{"d0", "d1"}, Next: ir.Accept}}
}
