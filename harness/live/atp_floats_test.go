package live

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/inalab/inalab/harness/check"
	"github.com/inalab/inalab/harness/check/parity"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	atphost "github.com/inalab/inalab/nodes/atp"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/worker"
)

// loud is ATP with gradients of which some do not fit an int32 at the paper's factor of 1e8 (§3.8).
type loud struct{ atp.System }

func (loud) Name() string { return "loud" }

func (l loud) NewCore(text json.RawMessage, rec gradient.Recorder, sink trace.Sink) (worker.Collective, error) {
	cfg, err := job.Decode[atphost.Config](text)
	if err != nil {
		return nil, err
	}
	cfg.Recorder, cfg.Trace = rec, sink
	c, err := atphost.New(cfg)
	return &loudCore{Core: c, worker: cfg.Worker}, err
}

// loudCore contributes large values beside the gradient, and keeps what comes of them from the model.
type loudCore struct {
	*atphost.Core
	worker int
}

// loudEvery is how far large values are from each other: less than one in six packets has one.
const loudEvery = 397

// loudness returns what is added at an element that is a multiple of loudEvery: sums that fit nowhere,
// though each value does, up or down, or one worker's value alone that does not. So it is whatever
// packets meet first.
func (c *loudCore) loudness(i int) float32 {
	switch i / loudEvery % 3 {
	case 0:
		return 15
	case 1:
		return -15 - float32(c.worker)/3
	}
	if c.worker == 1 {
		return 1000
	}
	return 0
}

func (c *loudCore) Begin(now units.Time, gen int, grad []float32, eff *sansio.Effects) {
	own := append([]float32(nil), grad...)
	for i := 0; i < len(own); i += loudEvery {
		own[i] += c.loudness(i)
	}
	c.Core.Begin(now, gen, own, eff)
}

func (c *loudCore) Finish(gen int) (result.Outcome, func(mean []float32)) {
	out, take := c.Core.Finish(gen)
	return out, func(mean []float32) {
		take(mean)
		for i := 0; i < len(mean); i += loudEvery {
			mean[i] = 0
		}
	}
}

// Values that do not fit come back as float32, and every one of them is checked: the same elements with
// the same bits in both clocks, those of the packets that have a large value and no others.
func TestFloatsOfATP(t *testing.T) {
	heavy(t)
	needRoot(t)
	images, err := loadImages()
	if err != nil {
		t.Fatal(err)
	}
	for name, sys := range map[string]atp.System{"aggregators": {}, "none": {Aggregators: atp.None}} {
		t.Run(name, func(t *testing.T) {
			s := scene{system: loud{sys}, topology: "rack", hosts: 4}
			liveCell, live := runRecorded(t, mustJob(t, s), options(t))
			j, virtualCell, virtual := virtualRecorded(t, s, images)
			a, b := parity.Run[check.Tensors]{Name: "virtual", Of: virtual}, parity.Run[check.Tensors]{Name: "live", Of: live}
			got, err := parity.Tensors(parity.Shape{Workers: 4, Generations: j.Iterations, Elements: j.Params}, a, b)
			if err != nil {
				t.Fatal(err)
			}
			elements, packets := loudElements(j)
			want := 2 * 4 * j.Iterations * (j.Params + elements)
			if got.Different > 0 || got.Compared != want || elements == 0 || 2*elements > j.Params {
				t.Errorf("%d of %d elements differ, want none of %d, of which %d came as floats: %s", got.Different, got.Compared, want, elements, got.First)
			}
			for _, cell := range []result.Cell{virtualCell, liveCell} {
				if n := counted(cell, atphost.CountFloats, nil); n != uint64(4*j.Iterations*packets) {
					t.Errorf("%d packets went as floats, want %d of each worker and iteration", n, packets)
				}
			}
			wantOrder(t, virtual, j)
		})
	}
}

// loudElements returns how many elements are in packets with a large value, and these packets.
func loudElements(j *job.Job) (elements, packets int) {
	for lo := 0; lo < j.Params; lo += j.Layout.Block {
		hi := min(lo+j.Layout.Block, j.Params)
		if (lo+loudEvery-1)/loudEvery*loudEvery < hi {
			elements, packets = elements+hi-lo, packets+1
		}
	}
	return elements, packets
}

// wantOrder wants sums whose bits tell the order of workers, so that another one would be found.
func wantOrder(t *testing.T, r *parity.Recording, j *job.Job) {
	t.Helper()
	bits := func(order ...int) (out []uint32) {
		for gen := range j.Iterations {
			sums := map[int]float32{}
			for _, w := range order {
				runs, err := r.SentFloats(w, gen)
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range runs {
					for i, v := range f.Values {
						sums[f.Lo+i] += v
					}
				}
			}
			for i := range j.Params {
				out = append(out, math.Float32bits(sums[i]))
			}
		}
		return out
	}
	differ, other := 0, bits(3, 2, 1, 0)
	for i, v := range bits(0, 1, 2, 3) {
		if v != other[i] {
			differ++
		}
	}
	if differ == 0 {
		t.Error("all sums of floats are the same in another order of workers: the run cannot tell")
	}
}
