package live

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/inalab/inalab/harness/check"
	"github.com/inalab/inalab/harness/fidelity"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	hostlive "github.com/inalab/inalab/nodes/live"
)

// judge holds the sums of a job against the oracle and says how far its times
// can be believed.
func (r *run) judge(t *tenant) error {
	t.cell.Fidelity = r.fidelity(t)
	r.count(t)
	fidelity.Hold(r.set, t.job, t.cell)
	if t.job.Elements > 0 { // the workers checked their last sums themselves
		for _, w := range t.reports {
			t.cell.Checked += w.Checked
			t.cell.Wrong += w.Wrong
		}
		return nil
	}
	shape, who, sink := check.ForJob(t.job)
	if sink != nil {
		if err := r.readTraces(sink); err != nil {
			return err
		}
	}
	sums, err := r.checkTensors(t, shape, who)
	if err != nil {
		return err
	}
	t.cell.Checked, t.cell.Wrong, t.cell.Unchecked = sums.Checked, sums.Wrong, sums.Unchecked
	if sums.Wrong > 0 {
		t.cell.Notes = append(t.cell.Notes, "first wrong sum: "+sums.First)
	}
	return nil
}

// count gathers the counters of the switches and of a job's workers and servers,
// and the measured compute time.
func (r *run) count(t *tenant) {
	add := func(node string, list []sansio.Count) {
		for _, c := range list {
			t.cell.Counters = append(t.cell.Counters, result.Counter{Node: node, Name: c.Name, N: c.N})
		}
	}
	host := func(node string, list []sansio.Count) {
		add(node, list)
		t.cell.Resent.Add(sansio.ResentOf(list))
	}
	for _, s := range r.switchReports {
		add(s.Node, s.Counters)
		t.cell.Links = append(t.cell.Links, s.Links...)
		add(s.Node+"/device", append(s.Device.Drops, sansio.Count{Name: "ring-drops", N: s.Device.RingDrops}))
	}
	for _, s := range t.serverReports {
		host(s.Node, s.Counters)
		t.cell.Decide(s.Decisions)
		host(s.Node, kernelCounts(s.TCPResent))
		add(s.Node+"/device", append(s.Device.Drops, sansio.Count{Name: "ring-drops", N: s.Device.RingDrops}))
	}
	r.flowDevices(func(name string, e *hostlive.EndReport) {
		add(name+"/device", append(e.Device.Drops, sansio.Count{Name: "ring-drops", N: e.Device.RingDrops}))
	})
	if t == r.tenants[0] {
		t.cell.Flows, t.cell.Reports = r.flowRecords(), r.reported()
		t.cell.Collected = len(r.set.Collectors()) > 0
		t.cell.Transit = r.set.TransitCounts(t.cell.Counters) // the switches have counted above
	}
	var computes []job.Measured
	for _, w := range t.reports {
		host(w.Node, w.Counters)
		add(w.Node+"/device", append(w.Device.Drops, sansio.Count{Name: "ring-drops", N: w.Device.RingDrops}))
		if t.job.Layout.Peers != nil {
			host(w.Node, kernelCounts(w.TCPResent))
		}
		computes = append(computes, job.Measured{Host: w.Node, Mean: w.Compute})
	}
	t.cell.Compute = t.job.MeanCompute(computes)
	t.cell.Tallies, t.cell.Depth = t.job.Tallies(t.cell.Counters), r.set.Depth(t.job, t.cell.Links)
}

// kernelCounts returns the counters of a host whose streams are the kernel's.
func kernelCounts(r result.Resent) []sansio.Count {
	list := sansio.Tally{}
	list.Add("tcp-retransmits", r.Packets)
	list.Resent(r.Packets, r.Bytes)
	return list.List()
}

// readTraces hands what the switches traced to the sink: each process of a switch has a file.
func (r *run) readTraces(sink trace.Sink) error {
	for _, path := range r.traces {
		if err := readTrace(path, sink, r.course.cut); err != nil {
			return err
		}
	}
	return nil
}

// readTrace hands the events of a switch's trace to the sink. The last line may be cut off
// where a switch was killed.
func readTrace(path string, sink trace.Sink, cut bool) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading the switch's trace: %w", err)
	}
	dec := json.NewDecoder(bufio.NewReaderSize(f, 1<<20))
	for dec.More() {
		var e trace.Event
		err := dec.Decode(&e)
		if cut && errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return errors.Join(fmt.Errorf("reading the switch's trace: %w", err), f.Close())
		}
		sink.Event(&e)
	}
	return f.Close()
}
