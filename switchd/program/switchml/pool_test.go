package switchml

import (
	"testing"

	"pgregory.net/rapid"
)

// Whatever comes and goes: parts do not overlap, are where they fit first, and what
// is left is what nobody has.
func TestPoolIsDivided(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Pool{Slots: rapid.IntRange(1, 40).Draw(t, "slots")}
		owner := make([]int, p.Slots) // the dumb way: who has each slot; 0: nobody
		for job := 1; job <= 30; job++ {
			if rapid.Bool().Draw(t, "free") {
				gone := rapid.IntRange(1, job).Draw(t, "job")
				p.Free(gone)
				for i := range owner {
					if owner[i] == gone {
						owner[i] = 0
					}
				}
			}
			n := rapid.IntRange(1, 12).Draw(t, "wanted")
			want, fits := firstRun(owner, n)
			base, ok := p.Take(job, n)
			if ok != fits || ok && base != want {
				t.Fatalf("%d slots at %d, %v, want %d, %v; %v", n, base, ok, want, fits, owner)
			}
			if ok {
				for i := range n {
					owner[base+i] = job
				}
			}
			all, longest := 0, 0
			for _, who := range owner {
				if who == 0 {
					all++
				}
			}
			for _, there := firstRun(owner, longest+1); there; _, there = firstRun(owner, longest+1) {
				longest++
			}
			if a, l := p.Left(); a != all || l != longest {
				t.Fatalf("%d slots are left, %d in a run, want %d and %d; %v", a, l, all, longest, owner)
			}
		}
	})
}

func firstRun(owner []int, n int) (base int, ok bool) {
	run := 0
	for i, who := range owner {
		if run++; who != 0 {
			run = 0
		}
		if run == n {
			return i - n + 1, true
		}
	}
	return 0, false
}
