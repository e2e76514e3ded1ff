package harness

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/gopacket/gopacket/pcapgo"

	"github.com/inalab/inalab/harness/capture"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/pcapfile/pcapfiletest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
)

// kept is a file in memory.
type kept struct{ bytes.Buffer }

func (*kept) Close() error { return nil }

// captureRun captures a run of two iterations, and returns its packets and counts.
func captureRun(t *testing.T, system job.System, topology string, link topo.LinkSpec) (file *kept, counts capture.Counts) {
	t.Helper()
	model, err := profiles.Lookup("resnet50")
	if err != nil {
		t.Fatal(err)
	}
	p := chassistest.Plan(t, topology, gen.Params{Hosts: 4, Link: link, MTU: 9000})
	j, err := job.New(job.Spec{System: system, Plan: p, Model: model, Scale: 2000, Iterations: 2, Seed: 1, Virtual: true})
	if err != nil {
		t.Fatal(err)
	}
	images, err := worker.LoadImages()
	if err != nil {
		t.Fatal(err)
	}
	file = &kept{}
	v := Virtual{Images: images, Packets: Capturing{
		Open: func(*job.Set) (io.WriteCloser, error) { return file, nil },
		Told: func(_ *job.Set, c capture.Counts, _ []capture.Lost) { counts = c },
	}}
	if _, err := v.RunSet(t.Context(), job.Alone(j), nil); err != nil {
		t.Fatal(err)
	}
	return file, counts
}

// seen counts what a capture holds.
type seen struct{ frames, added, sent, lost int }

func readCapture(t *testing.T, file io.Reader) (s seen) {
	t.Helper()
	r, err := pcapgo.NewNgReader(file, pcapgo.NgReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	last := int64(0)
	for {
		data, info, options, err := r.ReadPacketDataWithOptions()
		if errors.Is(err, io.EOF) {
			return s
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = pcapfiletest.Verify(data)
		if at := info.Timestamp.UnixNano(); err != nil || at < last {
			t.Fatalf("frame %d at %d behind %d: %v", s.frames, at, last, err)
		}
		last = info.Timestamp.UnixNano()
		s.count(options)
	}
}

func (s *seen) count(options pcapgo.NgPacketOptions) {
	s.frames++
	text := strings.Join(options.Comments, " ")
	switch in := options.Flags.Direction == pcapgo.NgEpbFlagDirectionInbound; {
	case in && strings.Contains(text, "decision=added"):
		s.added++
	case in && text == "":
		s.lost++
	case !in && strings.Contains(text, "decision=sent"):
		s.sent++
	}
}

// In a run without loss every packet to an aggregator has its decision, every result is one, and
// all frames have right lengths and checksums in the eyes of another decoder, and are in order.
func TestDecisionsOfRuns(t *testing.T) {
	link := topo.LinkSpec{Rate: 50 * units.MbitPerSecond, Delay: units.Microsecond}
	for _, c := range []struct {
		system   job.System
		topology string
		results  int // frames to the workers, for each packet of one of them
	}{
		{trioml.System{}, "mx480", 1},
		{switchml.System{}, "rack", 1},
		{switchml.System{Pipe: switchml.Pipe{Pipeline: true}}, "rack", 1},
		{atp.System{Colocated: true}, "rack", 0},
	} {
		t.Run(fmt.Sprintf("%s on %s", c.system.Name(), c.topology), func(t *testing.T) {
			file, counts := captureRun(t, c.system, c.topology, link)
			s := readCapture(t, file)
			t.Logf("%+v %+v", s, counts)
			if s.added < 100 || counts.Missed != 0 || s.sent == 0 || uint64(s.frames) != counts.Written || counts.Seen != counts.Written {
				t.Errorf("%+v, %+v", s, counts)
			}
			if c.results > 0 && (s.added != s.sent || s.lost > 0 || s.frames != s.added+s.sent) {
				t.Errorf("%d packets were added, %d are results, %d have no comment", s.added, s.sent, s.lost)
			}
		})
	}
}

// A packet that a link lost has no decision; the one that is sent again has.
func TestDecisionsUnderLoss(t *testing.T) {
	file, counts := captureRun(t, switchml.System{Retransmit: true}, "rack", topo.LinkSpec{Rate: 50 * units.MbitPerSecond, Loss: 0.02})
	s := readCapture(t, file)
	if s.lost == 0 || s.added < 100 || counts.Missed != 0 {
		t.Errorf("%+v, %+v", s, counts)
	}
}

// Byte streams have no decisions, and right checksums.
func TestStreamsOfRuns(t *testing.T) {
	file, counts := captureRun(t, ring.System{}, "rack", topo.LinkSpec{Rate: 50 * units.MbitPerSecond})
	if s := readCapture(t, file); s.frames < 100 || counts.Commented != 0 {
		t.Errorf("%+v, %+v", s, counts)
	}
}
