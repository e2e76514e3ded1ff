package live

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// rackOf is a rack of n hosts.
func rackOf(t *testing.T, n int) *plan.Plan {
	t.Helper()
	g, err := gen.ByName("rack", gen.Params{Hosts: n})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(g)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Clients that are no part of this program, in namespaces of a lab that serves them,
// set up a job and sum a tensor, on either engine, by UDP sockets and then by packet sockets on
// interfaces that they share with the kernel. The switch loses some of their packets.
func TestServe(t *testing.T) {
	needRoot(t)
	client := buildClient(t)
	for name, pipe := range servingPipes {
		t.Run(name, func(t *testing.T) {
			opt := ServeOptions{
				Lab: netns.NewLabName(), Logs: t.TempDir(), System: switchml.Service{System: switchml.System{Slots: 128, Pipe: pipe}}, NetNS: netns.Options{StateDir: t.TempDir()},
			}
			checkLeaks(t, opt.Lab)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			err := Serve(ctx, rackOf(t, 6), opt, func(s Served) error {
				lose(t, s, "p1")
				lose(t, s, "p4")
				attach(t, s, client, 0)
				attach(t, s, client, 3, "--raw")
				cancel()
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// servingPipes are the engines that clients are served by.
var servingPipes = map[string]switchml.Pipe{"pipeline": {Pipeline: true}, "reference": {}}

// buildClient builds the client, and returns its path.
func buildClient(t *testing.T) string {
	t.Helper()
	client := filepath.Join(t.TempDir(), "client")
	if out, err := exec.Command("go", "build", "-o", client, "../../examples/switchmlclient").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return client
}

// ask asks the switch something.
func ask(t *testing.T, s Served, r control.Request) control.Response {
	t.Helper()
	c, err := control.Dial(t.Context(), control.SocketPath(s.Lab.Dir(), "tor"))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := c.Do(t.Context(), r)
	if err := errors.Join(err, c.Close()); err != nil {
		t.Fatal(err)
	}
	return answer
}

// lose has the switch lose packets that come by a port.
func lose(t *testing.T, s Served, port string) {
	t.Helper()
	ask(t, s, control.Request{Op: control.OpDrop, Drop: &control.Drop{Port: port, Direction: control.In, Probability: 0.1}})
}

// attached is a client on a host.
type attached struct {
	*exec.Cmd
	said strings.Builder
}

// startClient starts a client on a host.
func startClient(t *testing.T, s Served, client string, host, rank, workers int, more ...string) *attached {
	t.Helper()
	flags := append([]string{"--server", s.Management.String(), "--workers", strconv.Itoa(workers), "--rank", strconv.Itoa(rank), "--blocks", "300"}, more...)
	c := &attached{Cmd: exec.CommandContext(t.Context(), client, flags...)}
	c.Stdout, c.Stderr = &c.said, &c.said
	if err := s.Lab.Do(s.Plan.Hosts[host].Name, c.Start); err != nil {
		t.Fatal(err)
	}
	return c
}

// attach runs three clients, on a host and the two behind it.
func attach(t *testing.T, s Served, client string, host int, more ...string) {
	t.Helper()
	var running []*attached
	for rank := range 3 {
		running = append(running, startClient(t, s, client, host+rank, rank, 3, more...))
	}
	for rank, c := range running {
		if err := c.Wait(); err != nil || !strings.Contains(c.said.String(), "76800 sums of 3 are 6") || !strings.Contains(c.said.String(), " 0 frames that are no results") {
			t.Errorf("rank %d, %v: %v: %s", rank, more, err, c.said.String())
		}
	}
}

func TestServeRefuses(t *testing.T) {
	g, err := gen.ByName("mx480", gen.Params{Hosts: 2})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(g)
	if err != nil {
		t.Fatal(err)
	}
	err = Serve(t.Context(), p, ServeOptions{}, func(Served) error { return os.ErrInvalid })
	if err == nil || !strings.Contains(err.Error(), "topology mx480: the service is that of one switch with one engine: use rack") {
		t.Errorf("error %v", err)
	}
}
