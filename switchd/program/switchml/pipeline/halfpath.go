package pipeline

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// halfResume is the tables that make room for sums, or for the floats that they become.
func (b *builder) halfResume() {
	var room []ir.Op
	for _, f := range named("f", 0, groups) {
		room = append(room, ir.Op{Kind: ir.Validate, Dst: f})
	}
	b.keyless(ir.Action{Name: "room", Do: room})
	b.table(ir.Table{Name: "first_room", Default: "room", Const: true})
	b.table(ir.Table{Name: tableTurned, Keys: exact("md.group"), Actions: []string{"turn"}, Default: "gone", Size: maxJobs}, ir.Action{Name: "turn", Do: []ir.Op{{Kind: ir.Validate, Dst: "r"}, set("meta.go", ir.C(1))}})
}

// halfControl joins the steps of the variant. Sums that the parser has found are turned
// back; nothing else happens in such a pass.
func (b *builder) halfControl(fresh []ir.Step, wanted *ir.Cond, last []ir.Step) []ir.Step {
	fresh = slices.Insert(fresh, 1, apply("first_room"))
	work := []ir.Step{{If: resumes(), Then: applied(tableJobs, "room"), Else: fresh}, b.memory()}
	for i := range groups { // one by one: so they leave each other room in the stages
		work = append(work,
			ir.Step{If: &ir.Cond{Valid: "h0"}, Then: applied(numbered("fix", i))},
			ir.Step{If: wanted, Then: applied(numbered("values", i))})
	}
	back := append(applied("turn", "sign", "round", "coarse", "fine", "scale"), applied(named("cut", 0, group/2)...)...)
	return []ir.Step{{If: &ir.Cond{Valid: "f3"}, Then: back, Else: work}, {If: wanted, Then: last}}
}

// halfRoute says where packets of the variant go.
func (b *builder) halfRoute() {
	t := ir.Table{
		Name: "route", Keys: exact("md.pass", "md.verdict", "sml.size"), Const: true,
		Actions: []string{"consume", "collect", "turned", "read_on", "turn_on", "everybody", "sender", "upward", "absorb"},
	}
	add := func(pass, verdict uint64, action string, args ...uint64) {
		t.Entries = append(t.Entries, ir.Entry{Values: []uint64{pass, verdict, sizeHalf}, Action: action, Args: args})
	}
	const pipe1, pipe2, pipe3 = 1 << pipeBits, 2 << pipeBits, 3 << pipeBits
	add(passConsume, 0, "consume", lastHalf, pipe1)
	add(lastHalf, verdictAbsorb, "absorb")
	for i, v := range answers {
		add(lastHalf, v, "collect", passUpper, pipe2)
		for k := uint64(0); k < groups-1; k++ {
			add(passUpper+k, v, "turned", passUpper+k+1, pipe2)
			add(passLower+k, v, "turned", passLower+k+1, pipe3)
		}
		add(passRead-1, v, "read_on", passRead, recirculation, opReadLower)
		add(passRead, v, "turn_on", passLower, pipe3)
		add(passLower+groups-1, v, leaves[i])
	}
	taken := named("h", 0, groups)
	b.table(t, b.consume(append(named("f", 0, groups), taken...)...), b.another(pass{"collect", true, false}, taken...),
		b.another(pass{"turned", true, false}, "f3"), b.another(pass{"read_on", false, true}, "f3"), b.another(pass{"turn_on", true, false}),
		drop("absorb", ir.C(dropAbsorbed)))
}

// halfParser are the states behind the header of SwitchML. Of the sums that are there
// the last is f3.
func halfParser() []ir.State {
	back := ir.State{Name: "back", Extract: []string{"md", "eth", "ipv4", "udp", "sml"}, Select: []string{"md.pass"}, Next: ir.Accept}
	list := []ir.State{
		{Name: "values", Extract: named("h", 0, 2*groups), Next: numbered("range", 0)},
		{Name: "second", Extract: named("h", 0, groups), Next: ir.Accept},
	}
	back.Cases = []ir.Case{{Values: []uint64{passConsume}, Next: "values"}, {Values: []uint64{lastHalf}, Next: "second"}}
	for k := range groups {
		name := numbered("sums", groups-k)
		list = append(list, ir.State{Name: name, Extract: named("f", k, groups), Next: ir.Accept})
		back.Cases = append(back.Cases, ir.Case{Values: []uint64{uint64(passUpper + k)}, Next: name}, ir.Case{Values: []uint64{uint64(passLower + k)}, Next: name})
	}
	return append(append(list, back), ranges()...)
}

// ranges are the states that reject a packet with a value beyond the range, before
// anything of it is added: a state looks at two values, of each at one bit.
func ranges() (list []ir.State) {
	const beyond = (maxCode + 1) << mantissa
	last := halfElements/2 - 1
	for i := range last + 1 {
		h, k := numbered("h", 2*i/group), 2*i%group
		s := ir.State{Name: numbered("range", i), Next: numbered("range", i+1), Select: []string{fmt.Sprintf("%s.v[%d]", h, k), fmt.Sprintf("%s.v[%d]", h, k+1)}}
		s.Cases = []ir.Case{
			{Values: []uint64{beyond, 0}, Masks: []uint64{beyond, 0}, Next: ir.Reject},
			{Values: []uint64{0, beyond}, Masks: []uint64{0, beyond}, Next: ir.Reject},
		}
		if i == last {
			s.Next = ir.Accept
		}
		list = append(list, s)
	}
	return list
}
