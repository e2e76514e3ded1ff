package topo

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A script is the same in whatever order its drops are given, and says them again.
func TestScriptSaysItsDrops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var drops []Drop
		want := map[[2]int][]int{}
		for range rapid.IntRange(0, 6).Draw(t, "drops") {
			d := Drop{Job: rapid.IntRange(1, 3).Draw(t, "job"), Slot: uint32(rapid.IntRange(0, 3).Draw(t, "slot"))}
			d.Packets = rapid.SliceOfN(rapid.IntRange(1, 9), 1, 4).Draw(t, "packets")
			drops = append(drops, d)
			key := [2]int{d.Job, int(d.Slot)}
			want[key] = append(want[key], d.Packets...)
		}
		s, err := NewScript(drops)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(drops)
		if again, err := NewScript(drops); err != nil || again != s {
			t.Fatalf("in another order %q and %v, want %q", again, err, s)
		}
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		back, err := s.Drops()
		if err != nil || len(back) != len(want) {
			t.Fatalf("%q: %v, %v; want %v", s, back, err, want)
		}
		for _, d := range back {
			list := want[[2]int{d.Job, int(d.Slot)}]
			slices.Sort(list)
			if diff := cmp.Diff(slices.Compact(list), d.Packets); diff != "" {
				t.Fatalf("job %d, slot %d (-want +got):\n%s", d.Job, d.Slot, diff)
			}
		}
	})
}

func TestScriptIsRefused(t *testing.T) {
	for want, drops := range map[string][]Drop{
		"job 0: jobs count from 1 to 255":                  {{Job: 0, Packets: []int{1}}},
		"job 256: jobs count from 1 to 255":                {{Job: 256, Packets: []int{1}}},
		"no packet of job 1 and slot 7 is named":           {{Job: 1, Slot: 7}},
		"packet 0: packets count from 1 to 1073741824":     {{Job: 1, Packets: []int{3, 0}}},
		"a script of 4097 packets: at most 4096 may be lo": {{Job: 1, Packets: upTo(4097)}},
	} {
		if _, err := NewScript(drops); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	for text, want := range map[Script]string{
		"1/5":         `"1/5": write job/slot:packets`,
		"x/5:1":       `"x/5:1": write job/slot:packets`,
		"1/-5:1":      "parsing",
		"1/5:0":       "packet 0: packets count from 1",
		"2/5:1 1/5:1": `it is not in order: "1/5:1 2/5:1" is`,
		"1/5:2,1":     `it is not in order: "1/5:1,2" is`,
	} {
		if err := text.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func upTo(n int) (out []int) {
	for i := range n {
		out = append(out, i+1)
	}
	return out
}
