package live

import (
	"context"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
)

// refusing is a lab whose clients do wrong. Each case has hosts of its own.
type refusing struct {
	t *testing.T
	Served
	client string
	told   chan string
}

// Clients that do wrong are refused by name, with either engine: more threads than their slots
// are for, packets of another size, a size that is not their peers', a rank that another
// has. A job that runs meanwhile gets its sums.
func TestServeRefusesByName(t *testing.T) {
	needRoot(t)
	client := buildClient(t)
	for name, pipe := range servingPipes {
		t.Run(name, func(t *testing.T) {
			x := refusing{t: t, client: client, told: make(chan string, 8)}
			opt := ServeOptions{
				Lab: netns.NewLabName(), Logs: t.TempDir(), System: switchml.Service{System: switchml.System{Slots: 64, Pipe: pipe}},
				NetNS: netns.Options{StateDir: t.TempDir()}, Told: func(line string) { x.told <- line },
			}
			checkLeaks(t, opt.Lab)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			err := Serve(ctx, rackOf(t, 12), opt, func(s Served) error {
				x.Served = s
				x.run()
				cancel()
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func (x *refusing) run() {
	var others []*attached
	for rank := range 3 {
		others = append(others, x.start(rank, rank, 3, "--blocks", "3000"))
	}
	x.threads(3)
	x.packets(5)
	x.sizes(7)
	x.ranks(9)
	for _, c := range others {
		x.ends(c, "^rank .: 768000 sums of 3 are 6, ")
	}
	view := x.show()
	if len(view.Notes) != 2 || len(view.Rows) < 3 {
		x.t.Errorf("jobs %v, notes %q", view.Rows, view.Notes)
	}
}

// start starts a client, which is ended with the test if not before.
func (x *refusing) start(host, rank, workers int, flags ...string) *attached {
	x.t.Helper()
	return startClient(x.t, x.Served, x.client, host, rank, workers, flags...)
}

// ends waits for the end of a client, which has said what matches.
func (x *refusing) ends(c *attached, want string) {
	x.t.Helper()
	_ = c.Wait() // how it ends is in what it says
	if said := c.said.String(); !regexp.MustCompile(want).MatchString(said) {
		x.t.Errorf("%s: want %s", said, want)
	}
}

// refused waits for the line that says which job was refused.
func (x *refusing) refused(want string) {
	x.t.Helper()
	select {
	case line := <-x.told:
		if !regexp.MustCompile(want).MatchString(line) {
			x.t.Errorf("told %s, want %s", line, want)
		}
	case <-time.After(longEnough):
		x.t.Fatal("no job is refused")
	}
}

// show returns the jobs of the switch.
func (x *refusing) show() dataplane.Table {
	x.t.Helper()
	return ask(x.t, x.Served, control.Request{Op: control.OpShow, View: dataplane.ViewJobs}).Tables[0].Table
}

// threads has clients of 4 threads with 16 packets each, which need 112 slots.
func (x *refusing) threads(host int) {
	x.t.Helper()
	pair := []*attached{x.start(host, 0, 2, "--threads", "4"), x.start(host+1, 1, 2, "--threads", "4")}
	x.refused(`^tor: job \d \(session \d+\) is refused: rank [01] sends to slot 64, and the job has slots 0 to 63: give it more, ` +
		`or the client fewer threads or packets outstanding: T threads with M packets each need \(2T-1\)M slots$`)
	for _, c := range pair { // they would wait for their sums
		if err := c.Process.Kill(); err != nil {
			x.t.Error(err)
		}
		x.ends(c, "^$")
	}
}

// packets has a client whose packets are smaller than it has told.
func (x *refusing) packets(host int) {
	x.t.Helper()
	for _, c := range []*attached{x.start(host, 0, 2), x.start(host+1, 1, 2)} {
		x.ends(c, "^rank .: 76800 sums of 2 are 3, ")
	}
	err := x.Lab.Do(x.Plan.Hosts[host+1].Name, func() error {
		c, err := net.Dial("udp4", x.Plan.Hosts[host+1].Gateway.String()+":48864")
		if err != nil {
			return err
		}
		defer c.Close()
		_, err = c.Write(append([]byte{0x11}, make([]byte, 9+4*64)...))
		return err
	})
	if err != nil {
		x.t.Fatal(err)
	}
	x.refused(`^tor: job \d \(session \d+\) is refused: rank 1 sends packets of another size than that of the job, 256 values: give all clients one size$`)
}

// sizes has a client that tells another size than its peer.
func (x *refusing) sizes(host int) {
	x.t.Helper()
	pair := []*attached{x.start(host, 0, 2), x.start(host+1, 1, 2, "--values", "64")}
	x.ends(pair[1], "rank 1 says that job [0-9]+ has 64 values a packet, rank 0 said 256: give all one packet_size")
	x.ends(pair[0], "Barrier: rank 1 at [0-9.:]+ .refused: UdpSession: rank 1 says .* has gone, one of 2 workers")
}

// ranks has two clients of one rank. The second one is refused, and the first goes on.
func (x *refusing) ranks(host int) {
	x.t.Helper()
	twins := []*attached{x.start(host+1, 1, 2), x.start(host+2, 1, 2)}
	ended := make(chan *attached)
	for _, c := range twins {
		go func() {
			_ = c.Wait()
			ended <- c
		}()
	}
	second := <-ended
	if said := second.said.String(); !regexp.MustCompile("Broadcast: rank 1 of 2 workers is at [0-9.:]+ already, and a job of as many workers is being set up").MatchString(said) {
		x.t.Errorf("the second client says %s", said)
	}
	x.ends(x.start(host, 0, 2), "^rank .: 76800 sums of 2 are 3, ")
	first := <-ended
	if said := first.said.String(); !strings.Contains(said, "76800 sums of 2 are 3, ") {
		x.t.Errorf("the first client says %s", said)
	}
}
