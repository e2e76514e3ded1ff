package job_test

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/nodes/stream"
)

// demanding is a system that asks for interfaces and sockets.
type demanding struct {
	job.System
	change func(*job.Layout)
}

func (d demanding) Layout(j *job.Job) (job.Layout, error) {
	l, err := d.System.Layout(j)
	d.change(&l)
	return l, err
}

func TestInterfacesAreChecked(t *testing.T) {
	for _, c := range []struct {
		change func(*job.Layout)
		want   string
	}{
		{change: func(l *job.Layout) { l.Protocol, l.XDP, l.Queues = 253, true, 2 }},
		{change: func(l *job.Layout) { l.Queues = -1 }, want: "-1 queues of an interface: allowed are 1 to 32"},
		{change: func(l *job.Layout) { l.Queues = 33 }, want: "33 queues"},
		{change: func(l *job.Layout) { l.Protocol, l.Port = 253, 0 }, want: "give both a UDP port"},
		{change: func(l *job.Layout) { l.Protocol, l.Peers = 253, [][]stream.Peer{} }, want: "a host has one or the other"},
		{change: func(l *job.Layout) { l.Protocol, l.Beside, l.ServerPort = 253, []any{nil}, 9 }, want: "give servers hosts of their own"},
	} {
		s := jobtest.Spec(t, demanding{switchml.System{}, c.change}, "rack", 4)
		switch _, err := job.New(s); {
		case c.want == "" && err != nil:
			t.Error(err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
