package virtual

import (
	"context"
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// xaggFig13 is XAgg Figs 13 to 15, and what they make of Figs 19 and 20: five schemes on the testbed of Fig 12.
func xaggFig13() experiment.Experiment {
	x := experiment.Experiment{
		ID: "xagg.fig13", Title: "communication and epochs of XAgg, TCP-Agg, SwitchML, NCCL and BytePS, seven workers with two kinds of links and GPUs",
		Switch: []claims.Switch{claims.SwitchHosts, claims.SwitchPipelineTimed},
		Claims: []claims.ID{
			"xagg.abs.comm-49-82", "xagg.fig13.reduction.switchml", "xagg.fig13.reduction.nccl", "xagg.fig13.reduction.byteps", "xagg.fig13.switchml-slowest",
			"xagg.fig14.switchml.alexnet", "xagg.fig14.switchml.resnet50", "xagg.fig14.switchml.vgg16", "xagg.fig14.switchml.bert-lstm", "xagg.fig14.lowest",
			"xagg.fig15.tcp-agg", "xagg.fig15.switchml", "xagg.fig15.nccl", "xagg.fig15.byteps", "xagg.fig19.virtual-order", "xagg.fig20.bert",
		},
		Quick: "rates and models divided by 16 in place of 8, times as they are; larger models from AlexNet in place of VGG16",
		Run:   runXAggFig13,
	}
	return x
}

// Schemes of Fig 13, by the order of xaggSchemes. The first five are the paper's; the sixth is XAgg while it sends. Others
// are in tables alone.
const (
	xaggScheme = iota
	xaggTCPAgg
	xaggSwitchML
	xaggNCCL
	xaggBytePS
	xaggRivalsEnd
	xaggSending = xaggRivalsEnd
)

// xaggNames are how parts of claims call the schemes.
var xaggNames = [xaggRivalsEnd]string{"xagg", "tcp_agg", "switchml", "nccl", "byteps"}

const xaggFig13Model = "simulated calls on seven workers, three of them at 40 Gbit/s, all of which begin at once; cores as in Fig 8, ten of a host; " +
	"NCCL and BytePS over TCP; SwitchML's hosts assumed; compute times assumed, but BERT's"

// xaggSwitchNote says what stands in the column of switches.
const xaggSwitchNote = "Switch: the pipeline is SwitchML on the emulated Tofino, whose passes take time, which the scale does not divide, as no time here. Of all else switches forward alone."

// xaggSchemes returns a lab of each, without a size.
func xaggSchemes(e *experiment.Env) []treeLab {
	scale := experiment.Cut(e, 8, 16)
	sml := testbed.XAggSwitchML(e, scale)
	sml.Pipe = testbed.TimedPipe(e)
	tcp, xdp, rdma := testbed.XAggTCPHost(e), testbed.XAggHost(e), e.Constants.RDMA()
	list := []treeLab{
		xaggScheme:   {name: "XAgg", sys: testbed.XAgg, host: xdp},
		xaggTCPAgg:   {name: "TCP-Agg", sys: testbed.XAggTCPAgg, host: tcp, rounds: 2},
		xaggSwitchML: {name: "SwitchML, raw sockets and XDP", sys: sml, host: testbed.XAggRawHost(e)},
		xaggNCCL:     {name: "NCCL, TCP", sys: testbed.RingTCP, host: tcp, rounds: 2},
		xaggBytePS:   {name: "BytePS, TCP", sys: testbed.XAggBytePS, host: tcp, rounds: 2},
		xaggSending:  {name: "XAgg, negotiation takes no time", sys: testbed.XAggPrompt, host: xdp},
	}
	if !e.Varied {
		list = append(list,
			treeLab{name: "XAgg, without the way down", sys: testbed.XAgg, host: xdp, free: true},
			treeLab{name: "XAgg, hosts cost nothing", sys: testbed.XAgg},
			treeLab{name: "TCP-Agg, sums from the PS to each worker", sys: testbed.XAggTCPDirect, host: tcp, rounds: 2},
			treeLab{name: "SwitchML, hosts cost nothing", sys: sml},
			treeLab{name: "NCCL, RDMA", sys: ringRoCE, host: rdma},
			treeLab{name: "BytePS, RDMA", sys: testbed.XAggBytePSRDMA, host: rdma})
	}
	for i := range list {
		l := &list[i]
		l.workers, l.link, l.scale = testbed.XAggWorkers, testbed.XAggLink, scale
	}
	return list
}

// computing returns labs of the paper's schemes in which workers compute before they send, those with the faster GPUs for a
// shorter time.
func computing(e *experiment.Env) (labs []treeLab) {
	if e.Varied {
		return nil
	}
	for _, l := range xaggSchemes(e)[:xaggRivalsEnd] {
		l.mib, l.compute = xaggSmall, testbed.XAggModel(e, "resnet50").Compute
		l.paces = testbed.XAggPaces(e)
		l.rounds = 2 // all have begun, and connections are open
		labs = append(labs, l)
	}
	return labs
}

// xaggSmall is the gradient of ResNet50, in MiB.
const xaggSmall = 97

// xaggSizes are those of the two calls of a scheme: ResNet50's, and VGG16's or AlexNet's.
func xaggSizes(e *experiment.Env) [2]int {
	return experiment.Cut(e, [2]int{xaggSmall, 528}, [2]int{xaggSmall, 233})
}

// epochs is communication of all schemes, and what it makes of models.
type epochs struct {
	env  *experiment.Env
	runs [][2]treeRun // by scheme and size
	at   []line       // by scheme
	gpus []treeRun    // of the paper's schemes, workers computing for unequal times
}

func newEpochs(ctx context.Context, e *experiment.Env) (*epochs, error) {
	var labs []treeLab
	for _, l := range xaggSchemes(e) {
		for _, l.mib = range xaggSizes(e) {
			labs = append(labs, l)
		}
	}
	calls := len(labs)
	runs, err := runTrees(ctx, e, append(labs, computing(e)...))
	if err != nil {
		return nil, err
	}
	x := &epochs{env: e, gpus: runs[calls:]}
	for i := 0; i < calls; i += 2 {
		small, large := &runs[i], &runs[i+1]
		x.runs = append(x.runs, [2]treeRun{*small, *large})
		each := float64(large.took-small.took) / (large.bytes() - small.bytes())
		x.at = append(x.at, line{fixed: max(0, small.took-units.Duration(each*small.bytes())), each: each})
	}
	return x, nil
}

// comm is the communication of a model.
func (x *epochs) comm(scheme int, model string) units.Duration {
	return x.at[scheme].cost(mebibytes(testbed.XAggModel(x.env, model).SizeMiB))
}

// compute is that of the slower GPUs. BERT's follows from the share of communication that the paper prints, taken to be
// SwitchML's: of the others nothing is printed.
func (x *epochs) compute(model string, share float64) units.Duration {
	if model == "bert-bilstm-crf" {
		return x.comm(xaggSwitchML, model).Scale(1/share - 1)
	}
	return testbed.XAggModel(x.env, model).Compute
}

// reduction is by how much XAgg's time is shorter, in percent, with a time of computing before both.
func (x *epochs) reduction(model string, scheme int, compute units.Duration) float64 {
	return 100 * (1 - (compute+x.comm(xaggScheme, model)).Seconds()/(compute+x.comm(scheme, model)).Seconds())
}

func runXAggFig13(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	x, err := newEpochs(ctx, e)
	if err != nil {
		return f, err
	}
	p := experiment.NewPrinted()
	share := p.Claimed("xagg.fig14.bert-share") / 100
	if err := p.Err(); err != nil {
		return f, err
	}
	x.fig13(&f)
	x.fig14(&f, share)
	x.fig15(&f)
	f.Tables = []claims.Table{x.callTable(), x.epochTable(share), x.gpuTable()}
	return f, nil
}

// fig13 sets the claims on communication.
func (x *epochs) fig13(f *experiment.Findings) {
	const model = "resnet50"
	set := func(id claims.ID, m claims.Measured) { f.Set(id, m.On(xaggFig13Model)) }
	reductions, parts := map[string]float64{}, map[string]claims.Measured{}
	for s := xaggTCPAgg; s < xaggRivalsEnd; s++ {
		reductions[xaggNames[s]] = x.reduction(model, s, 0)
		parts[xaggNames[s]] = claims.Number(reductions[xaggNames[s]])
	}
	parts["reductions"] = claims.Ranking(reductions)
	set("xagg.abs.comm-49-82", claims.Group(parts))
	for _, s := range []int{xaggSwitchML, xaggNCCL, xaggBytePS} {
		set(claims.ID("xagg.fig13.reduction."+xaggNames[s]), claims.Number(reductions[xaggNames[s]]).Noting("%s", x.ends(model, s)))
	}
	slowest := units.Duration(0)
	for s := range xaggNames {
		slowest = max(slowest, x.comm(s, model))
	}
	set("xagg.fig13.switchml-slowest", claims.NumberParts(map[string]float64{"over_slowest": x.comm(xaggSwitchML, model).Seconds() / slowest.Seconds()}))
}

// ends says what the reduction is of VGG16, and where negotiation takes no time.
func (x *epochs) ends(model string, scheme int) string {
	prompt := 100 * (1 - x.at[xaggSending].cost(mebibytes(xaggSmall)).Seconds()/x.comm(scheme, model).Seconds())
	return fmt.Sprintf("VGG16: %.3g%%; if negotiation took no time: %.3g%%", x.reduction("vgg16", scheme, 0), prompt)
}

func mebibytes(n int) units.Bytes { return units.Bytes(n) * units.MiB }

// xaggModelNames are how claims call models.
var xaggModelNames = map[string]string{"inception-v3": "inception_v3", "resnet50": "resnet50", "alexnet": "alexnet", "vgg16": "vgg16", "bert-bilstm-crf": "bert_lstm"}

// fig14 sets the claims on epochs.
func (x *epochs) fig14(f *experiment.Findings, share float64) {
	set := func(id claims.ID, m claims.Measured) { f.Set(id, m.On(xaggFig13Model)) }
	ranks := map[string]claims.Measured{}
	for _, m := range testbed.XAggModels {
		times := map[string]float64{}
		for s, name := range xaggNames {
			times[name] = (x.compute(m, share) + x.comm(s, m)).Milliseconds()
		}
		ranks[xaggModelNames[m]] = claims.Ranking(times)
		if m == "vgg16" {
			set("xagg.fig19.virtual-order", claims.Ranking(times).Noting("ms of an iteration"))
		}
	}
	set("xagg.fig14.lowest", claims.Group(ranks))
	for id, m := range map[claims.ID]string{"alexnet": "alexnet", "resnet50": "resnet50", "vgg16": "vgg16", "bert-lstm": "bert-bilstm-crf"} {
		compute := x.compute(m, share)
		set("xagg.fig14.switchml."+id, claims.Number(x.reduction(m, xaggSwitchML, compute)).
			Noting("computing %.3g ms, communication with SwitchML %.3g ms", compute.Milliseconds(), x.comm(xaggSwitchML, m).Milliseconds()))
	}
	bert := map[string]float64{}
	for s := xaggTCPAgg; s < xaggRivalsEnd; s++ {
		bert[xaggNames[s]] = x.reduction("bert-bilstm-crf", s, x.compute("bert-bilstm-crf", share))
	}
	set("xagg.fig20.bert", claims.NumberParts(bert))
}

// fig15 sets the claims on what workers send.
func (x *epochs) fig15(f *experiment.Findings) {
	own := x.runs[xaggSending][0].busiest()
	for id, s := range map[claims.ID]int{"tcp-agg": xaggTCPAgg, "switchml": xaggSwitchML, "nccl": xaggNCCL, "byteps": xaggBytePS} {
		other := x.runs[s][0].busiest()
		f.Set("xagg.fig15."+id, claims.Number(own/other).On(xaggFig13Model).
			Noting("%.3g and %.3g Gbit/s: the mean of the busiest worker over the time in which it communicates, negotiation left out", own/1e9, other/1e9))
	}
}

// callTable is what calls take.
func (x *epochs) callTable() claims.Table {
	t := claims.Table{
		ID: "xagg.fig13", Title: "Communication of seven workers, three of them at 40 Gbit/s, which begin at once",
		Columns: []claims.Column{{Name: "scheme"}, {Name: "switch"}, {Name: "ResNet50", Unit: "ms"}, {Name: fmt.Sprintf("%d MiB", xaggSizes(x.env)[1]), Unit: "ms"}, {Name: "whatever the size", Unit: "ms"},
			{Name: "rate of long gradients", Unit: "Gbit/s"}, {Name: "XAgg takes less, ResNet50", Unit: "%"}, {Name: "busiest worker sends", Unit: "Gbit/s"}},
		Notes: []string{
			xaggFig13Model + ".",
			"Without the way down: links towards workers have no limit. The paper's XAgg takes 0.31 s an epoch, of as many aggregations as it does not say.",
			xaggSwitchNote,
		},
	}
	for s := range x.runs {
		small, large := &x.runs[s][0], &x.runs[s][1]
		t.Add(render.Text(small.lab.name), render.Text(small.ran), render.Number(small.took.Milliseconds(), 2), render.Number(large.took.Milliseconds(), 2), render.Number(x.at[s].fixed.Milliseconds(), 2),
			render.Number(float64(x.at[s].rate())/1e9, 2), render.Number(x.reduction("resnet50", s, 0), 1), render.Number(small.busiest()/1e9, 2))
	}
	return t
}

// epochTable is the iterations of all models.
func (x *epochs) epochTable(share float64) claims.Table {
	t := claims.Table{
		ID: "xagg.fig14", Title: "Iterations of five models on XAgg's testbed",
		Columns: []claims.Column{{Name: "model"}, {Name: "size", Unit: "MiB"}, {Name: "compute", Unit: "ms"}},
		Notes: []string{
			"Nothing is sent before all is computed: XAgg makes one vector of a gradient (§IV-A). Compute times are assumed, of the slower GPU;",
			fmt.Sprintf("that of BERT makes communication %g%% of SwitchML's iteration, which is what the paper prints of BERT without a scheme.", 100*share),
		},
	}
	for _, name := range xaggNames {
		t.Columns = append(t.Columns, claims.Column{Name: name, Unit: "ms"})
	}
	for s := xaggTCPAgg; s < xaggRivalsEnd; s++ {
		t.Columns = append(t.Columns, claims.Column{Name: "less than " + xaggNames[s], Unit: "%"})
	}
	for _, m := range testbed.XAggModels {
		compute := x.compute(m, share)
		row := []render.Cell{render.Text(m), render.Int(testbed.XAggModel(x.env, m).SizeMiB), render.Number(compute.Milliseconds(), 1)}
		for s := range xaggNames {
			row = append(row, render.Number((compute+x.comm(s, m)).Milliseconds(), 1))
		}
		for s := xaggTCPAgg; s < xaggRivalsEnd; s++ {
			row = append(row, render.Number(x.reduction(m, s, compute), 1))
		}
		t.Add(slices.Clone(row)...)
	}
	return t
}

// gpuTable is ResNet50 where GPUs differ.
func (x *epochs) gpuTable() claims.Table {
	t := claims.Table{
		ID: "xagg.gpus", Title: "ResNet50 on seven workers, of which three have slower links and GPUs",
		Columns: []claims.Column{{Name: "scheme"}, {Name: "switch"}, {Name: "iteration, less the slowest compute", Unit: "ms"}, {Name: "from a worker's gradient to its result, mean", Unit: "ms"}, {Name: "XAgg takes less of that", Unit: "%"}},
		Notes:   []string{"The second is how the paper defines communication (§VI-C): it has the wait for the slower GPUs, with every scheme."},
	}
	for i := range x.gpus {
		r := &x.gpus[i]
		t.Add(render.Text(r.lab.name), render.Text(r.ran), render.Number(r.took.Milliseconds(), 2), render.Number(r.wait.Milliseconds(), 2), render.Number(100*(1-x.gpus[xaggScheme].wait.Seconds()/r.wait.Seconds()), 1))
	}
	return t
}
