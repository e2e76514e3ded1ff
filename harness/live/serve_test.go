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
	client := filepath.Join(t.TempDir(), "client")
	if out, err := exec.Command("go", "build", "-o", client, "../../examples/switchmlclient").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, pipe := range map[string]switchml.Pipe{"pipeline": {Pipeline: true}, "reference": {}} {
		t.Run(name, func(t *testing.T) {
			opt := ServeOptions{
				Lab: netns.NewLabName(), Logs: t.TempDir(), System: switchml.Service{System: switchml.System{Slots: 128, Pipe: pipe}}, NetNS: netns.Options{StateDir: t.TempDir()},
			}
			checkLeaks(t, opt.Lab)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			err := Serve(ctx, rackOf(t, 3), opt, func(s Served) error {
				lose(t, s)
				attach(t, s, client)
				attach(t, s, client, "--raw")
				cancel()
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// lose has the switch lose packets of h1.
func lose(t *testing.T, s Served) {
	t.Helper()
	c, err := control.Dial(t.Context(), control.SocketPath(s.Lab.Dir(), "tor"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Do(t.Context(), control.Request{Op: control.OpDrop, Drop: &control.Drop{Port: "p1", Direction: control.In, Probability: 0.1}})
	if err := errors.Join(err, c.Close()); err != nil {
		t.Fatal(err)
	}
}

// attach runs a client on every host.
func attach(t *testing.T, s Served, client string, more ...string) {
	t.Helper()
	var running []*exec.Cmd
	var said []*strings.Builder
	for i := range s.Plan.Hosts {
		flags := append([]string{"--server", s.Management.String(), "--workers", "3", "--rank", strconv.Itoa(i), "--blocks", "300"}, more...)
		cmd, out := exec.CommandContext(t.Context(), client, flags...), &strings.Builder{}
		cmd.Stdout, cmd.Stderr = out, out
		if err := s.Lab.Do(s.Plan.Hosts[i].Name, cmd.Start); err != nil {
			t.Fatal(err)
		}
		running, said = append(running, cmd), append(said, out)
	}
	for i, cmd := range running {
		if err := cmd.Wait(); err != nil || !strings.Contains(said[i].String(), "76800 sums of 3 are 6") || !strings.Contains(said[i].String(), " 0 frames that are no results") {
			t.Errorf("rank %d, %v: %v: %s", i, more, err, said[i])
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
