package fit

import "github.com/inalab/inalab/switchd/tofino/ir"

// checkAccess refuses a register that one packet reaches twice in a pass, or from
// both sides.
func (b *builder) checkAccess(bad *refusals) {
	users := map[place][]int{} // nodes, in program order
	var order []place
	for i := range b.nodes {
		for _, p := range b.nodes[i].registers {
			if users[p] == nil {
				order = append(order, p)
			}
			users[p] = append(users[p], i)
		}
	}
	for _, p := range order {
		b.checkUsers(bad, p, users[p])
	}
	for i := range b.Tables {
		t := &b.Tables[i]
		for k := range t.Actions {
			b.checkAction(bad, t, &t.Actions[k])
		}
	}
}

// checkUsers compares the tables of one register, and says no once.
func (b *builder) checkUsers(bad *refusals, p place, users []int) {
	where := quoted("register", b.placeName(p))
	for i, u := range users {
		for _, v := range users[i+1:] {
			x, y := &b.nodes[u], &b.nodes[v]
			if x.side != y.side {
				bad.add(RuleSide, where, "use one register each", "is accessed by %s of the ingress and %s of the egress", x.name, y.name)
				return
			}
			if !exclusive(x, y) {
				bad.add(RuleOnce, where, "put them in the two branches of one condition, or make them actions of one table",
					"is accessed twice in a pass: by %s and by %s", x.name, y.name)
				return
			}
		}
	}
}

// checkAction refuses an action that executes one register twice.
func (b *builder) checkAction(bad *refusals, t *Table, a *Action) {
	for c := range t.Copies {
		seen := map[place]bool{}
		for i := range a.Do {
			op := &a.Do[i]
			if op.Kind != ir.Execute {
				continue
			}
			p := place{op.Register.ID, op.Register.Of(c)}
			if seen[p] {
				bad.add(RuleOnce, quoted("register", b.placeName(p)), "make one register action of them",
					"is accessed twice in a pass: by action %q of table %q", a.Name, t.Name)
				return
			}
			seen[p] = true
		}
	}
}

func (b *builder) placeName(p place) string {
	r := &b.Registers[p.id]
	return copyName(r.Name, r.Vector, p.copy)
}

// checkTotals refuses more registers than all stages have, before any is placed.
func (b *builder) checkTotals(bad *refusals) {
	used := map[place]bool{}
	lanes := 0
	for i := range b.nodes {
		n := &b.nodes[i]
		for _, p := range n.registers {
			if !used[p] {
				lanes += b.lanesUpdated(p.id)
			}
			used[p] = true
		}
	}
	if len(used) > Stages*StageALUs {
		bad.add(ALUs.Rule(), "all stages", "make passes of it: recirculate",
			"%d registers with %d updates of a lane in a pass need %d stateful ALUs; "+
				"there are %d stages x %d stateful ALUs x %d lanes = %d updates",
			len(used), lanes, len(used), Stages, StageALUs, MaxLanes, Stages*StageALUs*MaxLanes)
	}
}

// lanesUpdated returns how many lanes the actions of a register write.
func (b *builder) lanesUpdated(id RegisterID) int {
	lo, hi := 0, 0
	for _, a := range b.Registers[id].Actions {
		if len(a.Lo) > 0 {
			lo = 1
		}
		if len(a.Hi) > 0 {
			hi = 1
		}
	}
	return lo + hi
}
