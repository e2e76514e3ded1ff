package fit

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// TestDeparserGroups: what deparsers read of a small group is of one side, but for the last ones.
func TestDeparserGroups(t *testing.T) {
	for size, first := range []int{32, 32, 32} {
		p := newPool()
		p.cells[size][first] = cell{owner: int(Ingress), deparsed: 1}
		behind := first + deparserGroup[size]
		for _, c := range []struct {
			side     Side
			number   int
			deparsed bool
			want     bool
		}{
			{Ingress, first, true, true}, {Egress, first, false, false},
			{Ingress, first + 1, true, true}, {Egress, first + 1, true, false}, {Egress, first + 1, false, true},
			{Egress, behind, true, true}, {Egress, first - 1, true, true},
		} {
			if got := p.may(c.side, size, c.number, c.deparsed); got != c.want {
				t.Errorf("%d bits, %s, container %d, deparsed %t: %t", sizes[size], c.side, c.number, c.deparsed, got)
			}
		}
		last := available[size] - 1
		p.cells[size][last-1] = cell{owner: int(Ingress), deparsed: 1}
		if !p.may(Egress, size, last, true) {
			t.Errorf("%d bits: the last containers are given one by one", sizes[size])
		}
	}
}

// TestGroupsOf: each side has its own group and those that are no side's, and the sides meet late.
func TestGroupsOf(t *testing.T) {
	for size, want := range [][2][]int{{{0, 2, 3}, {1, 3, 2}}, {{0, 2, 3, 4, 5}, {1, 5, 4, 3, 2}}, {{0, 2, 3}, {1, 3, 2}}} {
		for side := range Side(2) {
			if got := groupsOf(side, size); !slices.Equal(got, want[side]) {
				t.Errorf("%d bits, %s: %v, want %v", sizes[size], side, got, want[side])
			}
		}
	}
}

// TestWidthsMeet: instructions take nothing into a container of another size.
func TestWidthsMeet(t *testing.T) {
	expect(t, crossing(32), crossing(16), RuleGroup, `field "meta`)
	p := crossing(16)
	p.Actions[2].Do[0] = ir.Op{Kind: ir.Concat, Dst: "meta.y", In: []ir.Operand{ir.F("meta.x")}}
	if _, err := Place(p); err != nil {
		t.Errorf("by the hash units: %v", err)
	}
}

// TestValidityBits: a side has 256 bits that say which headers are valid.
func TestValidityBits(t *testing.T) {
	for n, want := range map[int]Rule{256: RulePHV, 257: RuleValidity} {
		if list := Refusals(second(Place(headers(n)))); len(list) != 1 || list[0].Rule != want {
			t.Errorf("%d headers: %v", n, list)
		}
	}
}

// TestContainerRefusals shows what the refusals of containers say.
func TestContainerRefusals(t *testing.T) {
	text := ""
	for _, p := range []*ir.Program{touched(values(100)), values(164), bothSides(99, 29), meeting(17), crossing(16), headers(257)} {
		text += second(Place(p)).Error() + "\n"
	}
	golden.Equal(t, "containers.txt", text)
}
