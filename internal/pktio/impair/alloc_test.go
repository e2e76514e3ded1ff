package impair

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	cfg := Config{Params: Params{Rate: 10 * gigabit, Delay: 300 * us, Jitter: 20 * us, Loss: 0.02, LossEvery: 9, Queue: 200_000}}
	cfg.Reorder, cfg.Duplicate, cfg.Corrupt = 0.05, 0.05, 0.05
	cfg.reseed(1)
	l, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	in := []sansio.Arrival{{Train: kilo(0, 60)}, {Train: frameOf(60, 64)}}
	var eff sansio.Effects
	now := units.Time(0)
	round := func() {
		now = now.Add(40 * us) // less than the trains take, so that the queue fills
		for d := l.NextDeadline(); d <= now; d = l.NextDeadline() {
			l.Expire(d, &eff)
			eff.Reset()
			if l.NextDeadline() <= d {
				t.Fatalf("deadline %v stands after Expire(%v)", l.NextDeadline(), d)
			}
		}
		l.Handle(now, in, &eff)
		eff.Reset()
	}
	rounds := func() { // many, since AllocsPerRun rounds down
		for range 100 {
			round()
		}
	}
	rounds()
	if n := testing.AllocsPerRun(5, rounds); n != 0 {
		t.Errorf("%v allocations in 100 rounds", n)
	}
	if s := l.Stats(); s.QueueFull == 0 || s.LossBernoulli == 0 || s.LossEvery == 0 || s.LossFCS == 0 || s.Overtook == 0 || s.Duplicated == 0 || s.Out.Frames == 0 {
		t.Errorf("the round does not reach every path: %+v", s)
	}
}

// Memory follows what is inside, not what has passed.
func TestMemoryIsBoundedByWhatIsInside(t *testing.T) {
	b := newBench(t, Config{Params: Params{Delay: ms}})
	for i := range 1000 {
		b.at(units.Time(100*us)*units.Time(i), kilo(0, 60)) // 10 trains of 60 kB inside
	}
	total := 0
	for range b.link.wire.store.chunks.len() {
		total += cap((*b.link.wire.store.chunks.front()).mem)
		b.link.wire.store.chunks.drop()
	}
	for _, c := range b.link.wire.store.spare {
		total += cap(c.mem)
	}
	if inside := 10 * 60 * kiloFrame; total > 4*inside {
		t.Errorf("%d bytes held for %d inside", total, inside)
	}
}

// Copies keep their bytes until they are given up, in any pattern of sizes.
func TestStore(t *testing.T) {
	type held struct {
		mem []byte
		c   *chunk
		tag byte
	}
	rapid.Check(t, func(t *rapid.T) {
		var s store
		var live []held
		for i := range rapid.IntRange(1, 200).Draw(t, "steps") {
			if len(live) > 0 && rapid.Bool().Draw(t, "give up") {
				for _, b := range live[0].mem {
					if b != live[0].tag {
						t.Fatal("a copy was overwritten")
					}
				}
				live[0].c.live--
				live = live[1:]
				s.recycle()
				continue
			}
			mem, c := s.alloc(rapid.SampledFrom([]int{0, 1, 100, 4096, 5000, 300_000}).Draw(t, "n"))
			for k := range mem {
				mem[k] = byte(i)
			}
			live = append(live, held{mem, c, byte(i)})
		}
	})
}

func TestRing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r ring[int]
		var want []int
		for i := range rapid.IntRange(0, 200).Draw(t, "steps") {
			if len(want) > 0 && rapid.IntRange(0, 2).Draw(t, "pop") == 0 {
				got := *r.front()
				if r.drop(); got != want[0] {
					t.Fatalf("popped %d, want %d", got, want[0])
				}
				want = want[1:]
			} else {
				r.push(i)
				want = append(want, i)
			}
			if r.len() != len(want) {
				t.Fatalf("length %d, want %d", r.len(), len(want))
			}
			if len(want) > 0 && (*r.front() != want[0] || *r.back() != want[len(want)-1]) {
				t.Fatalf("ends %d and %d of %v", *r.front(), *r.back(), want)
			}
		}
	})
}

func BenchmarkTrainOf60(b *testing.B) {
	l, err := New(Config{Params: Params{Rate: 100 * gigabit, Delay: 10 * us}})
	if err != nil {
		b.Fatal(err)
	}
	in := []sansio.Arrival{{Train: kilo(0, 60)}}
	var eff sansio.Effects
	now := units.Time(0)
	b.SetBytes(int64(in[0].Train.Bytes()))
	for b.Loop() {
		now = now.Add(5 * us)
		l.Handle(now, in, &eff)
		eff.Reset()
	}
}
