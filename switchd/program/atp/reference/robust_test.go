package reference

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/program/atp"
)

// Whatever bytes come, every packet goes on once by the port that it came by, is dropped for a reason,
// or is in an aggregator.
func TestAnyBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBenchOf(t, atp.Config{Aggregators: rapid.IntRange(0, 3).Draw(t, "aggregators"), Jobs: []atp.Job{first(1, 3), second(2)}})
		for range rapid.IntRange(1, 30).Draw(t, "packets") {
			p := grad(rapid.IntRange(0, 2).Draw(t, "worker"), 1)
			if rapid.Bool().Draw(t, "parameters") {
				p = param(1)
			}
			p = p.by(sansio.Port(rapid.IntRange(0, 9).Draw(t, "port")))
			in := arrival(p)
			for i, bite := range rapid.SliceOfN(rapid.Byte(), 0, 16).Draw(t, "header") {
				if bite != 0 { // leave some of what was right
					in.Train.Body[i] = bite
				}
			}
			if n := rapid.IntRange(0, len(in.Train.Body)).Draw(t, "cut"); rapid.IntRange(0, 5).Draw(t, "whether") == 0 {
				in.Train.Body = in.Train.Body[:n] // as a liar's lengths may have it
			}
			b.e.Handle(b.now, []sansio.Arrival{in}, &b.eff)
			if s := b.eff.Sends; len(s) > 1 || len(s) == 1 && (len(s[0].To) != 1 || s[0].To[0] != in.Port || s[0].Train.Frames() != 1) {
				t.Fatalf("%+v are sent", s)
			}
			b.eff.Reset()
			b.state()
		}
	})
}
