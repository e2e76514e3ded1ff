package virtual

import (
	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// fig8End is one of the ends of what Fig 8 rests on and the paper leaves open.
type fig8End struct {
	name        string
	atp, byteps int     // schemes
	speedup     float64 // of the GPU, over the assumed one
	plain       bool    // nothing is sent before all is computed
}

// fig8Ends are the reading taken, each other end alone, and those together that gain ATP most.
func fig8Ends(e *experiment.Env) []fig8End {
	const fullFLOPs = 2 // assumed: half of them
	gradients := schemeOtherCopy
	if e.Reading("atp.copy") == "payload" {
		gradients = schemeATP
	}
	return []fig8End{
		{"as taken", schemeATP, schemeBytePS, 1, false},
		{"copies counted the other way", schemeOtherCopy, schemeBytePS, 1, false},
		{"BytePS sends a worker's own shard over the network", schemeATP, schemeBytePSCross, 1, false},
		{"GPUs at all of their FLOP/s", schemeATP, schemeBytePS, fullFLOPs, false},
		{"nothing hidden behind compute", schemeATP, schemeBytePS, 1, true},
		{"copies counted in gradients, own shard over the network", gradients, schemeBytePSCross, 1, false},
		{"likewise, GPUs at all of their FLOP/s, nothing hidden", gradients, schemeBytePSCross, fullFLOPs, true},
		{"likewise, and copies at once, which the paper does not have", schemeNoCopy, schemeBytePSCross, fullFLOPs, true},
	}
}

// replayed is an iteration of a model by a scheme at an end.
func (t *trained) replayed(model string, scheme int, x *fig8End) units.Duration {
	p, row := testbed.ATPModel(t.env, model)
	fusion := row.Fusion()
	if x.plain {
		fusion = row.Bytes()
	}
	return p.Trace(p.Compute, row.Bytes()).Fuse(fusion).Replay(x.speedup, t.cost(scheme)).Iteration
}

// most is the largest throughput of ATP over that of a scheme at an end, and of which model it is.
func (t *trained) most(x *fig8End, scheme int) (top float64, model string) {
	for _, m := range testbed.ATPModels {
		if v := t.replayed(m, scheme, x).Seconds() / t.replayed(m, x.atp, x).Seconds(); v > top {
			top, model = v, m
		}
	}
	return top, model
}

// worst is the least throughput of ATP over that of the best other scheme.
func (t *trained) worst(x *fig8End) float64 {
	low := 0.0
	for _, m := range testbed.ATPModels {
		own := t.replayed(m, x.atp, x).Seconds()
		for _, s := range []int{x.byteps, schemeRing, schemeSwitchML} {
			if v := t.replayed(m, s, x).Seconds() / own; low == 0 || v < low {
				low = v
			}
		}
	}
	return low
}

// endTable is what each end moves.
func (t *trained) endTable() claims.Table {
	out := claims.Table{
		ID: "atp.fig8.ends", Title: "Largest gain of ATP in Fig 8 at the ends of what the paper leaves open",
		Columns: []claims.Column{
			{Name: "end"}, {Name: "over BytePS NtoN, RDMA"}, {Name: "model"}, {Name: "on communication alone"},
			{Name: "over a ring, RDMA"}, {Name: "ring, model"}, {Name: "ring, on communication alone"}, {Name: "over the best other, least"},
		},
		Notes: []string{
			"The paper has 1.5, 1.24 and at least 1. BytePS and the ring run on hosts that cost nothing but what RDMA does: what adding and copying takes from theirs is not printed, and would raise the gains.",
			"Without copies a host's packets limit ATP (atp.packets), at 63 Gbit/s of gradients; servers beside workers have n/(2(n-1)) of 100 Gbit/s, less headers. A gain above that of the last row needs another limit of BytePS.",
		},
	}
	for _, x := range fig8Ends(t.env) {
		b, bm := t.most(&x, x.byteps)
		r, rm := t.most(&x, schemeRing)
		out.Add(render.Text(x.name), render.Number(b, 3), render.Text(bm), render.Number(t.at[x.byteps].each/t.at[x.atp].each, 3),
			render.Number(r, 3), render.Text(rm), render.Number(t.at[schemeRing].each/t.at[x.atp].each, 3), render.Number(t.worst(&x), 3))
	}
	return out
}
