package netns

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"

	"github.com/inalab/inalab/harness/journal"
)

// Up brings a lab up and returns when every link is ready. If a step fails it
// undoes everything and says what failed. The error wraps [journal.ErrInUse]
// if another lab has the name.
func Up(ctx context.Context, spec Spec, opts Options) (*Lab, error) {
	if err := spec.normalise(); err != nil {
		return nil, err
	}
	if err := opts.normalise(); err != nil {
		return nil, err
	}
	j, err := journal.Claim(spec.Lab, opts.journal())
	if err != nil {
		return nil, err
	}
	b := newBuilder(spec, opts)
	err = b.build(ctx, j)
	lab := &Lab{name: spec.Lab, journal: j, nodes: make(map[string]string, len(spec.Nodes))}
	for _, n := range b.nodes {
		err = errors.Join(err, n.close())
		lab.nodes[n.node.Name] = n.path
		if n.bound {
			lab.paths = append(lab.paths, n.path)
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("bring lab %s up: %w", spec.Lab, err), lab.Down())
	}
	return lab, nil
}

// builder is the state of one Up.
type builder struct {
	spec  Spec
	opts  Options
	nodes []*namespace // as in spec.Nodes
	wirer wirer
}

func newBuilder(spec Spec, opts Options) *builder {
	b := &builder{spec: spec, opts: opts}
	b.wirer = wirer{mtu: spec.MTU, alias: aliasPrefix + spec.Lab, nodes: make(map[string]*namespace, len(spec.Nodes))}
	for i := range spec.Nodes {
		n := &namespace{
			node: &spec.Nodes[i], path: Path(spec.Lab, spec.Nodes[i].Name),
			handle: netns.None(), ioctl: -1, index: make(map[string]int),
		}
		b.nodes = append(b.nodes, n)
		b.wirer.nodes[n.node.Name] = n
	}
	return b
}

func (b *builder) build(ctx context.Context, j *journal.Journal) error {
	if err := makeDir(); err != nil {
		return err
	}
	if err := b.record(j); err != nil {
		return err
	}
	ethtool := b.wantEthtool()
	err := inThreads(ctx, b.opts.Threads, len(b.nodes), func(i int) error {
		return named(b.nodes[i], b.nodes[i].create(ethtool[b.nodes[i].node.Name]))
	})
	if err != nil {
		return err
	}
	err = inThreads(ctx, b.opts.Threads, len(b.spec.Wires), func(i int) error {
		return b.wirer.join(b.spec.Wires[i])
	})
	if err != nil {
		return err
	}
	return inThreads(ctx, b.opts.Threads, len(b.nodes), func(i int) error {
		if err := named(b.nodes[i], b.nodes[i].addRoutes()); err != nil {
			return err
		}
		return b.nodes[i].waitReady(ctx)
	})
}

func named(n *namespace, err error) error {
	if err != nil {
		return fmt.Errorf("node %s: %w", n.node.Name, err)
	}
	return nil
}

// record journals every namespace. A file that is there already was made by
// someone else and must not get into the journal.
func (b *builder) record(j *journal.Journal) error {
	records := make([]journal.Record, len(b.nodes))
	for i, n := range b.nodes {
		if _, err := os.Lstat(n.path); err == nil {
			return fmt.Errorf("node %s: namespace %s exists and is not ours: choose another lab name or remove it with ip netns del", n.node.Name, n.path)
		}
		records[i] = journal.Namespace(n.node.Name, n.path)
	}
	return j.Add(records...)
}

// wantEthtool returns the nodes that have an interface without offload, or with GRO.
func (b *builder) wantEthtool() map[string]bool {
	want := make(map[string]bool)
	for _, w := range b.spec.Wires {
		for _, e := range [...]End{w.A, w.B} {
			if !e.Offload || e.GRO {
				want[e.Node] = true
			}
		}
	}
	return want
}

const (
	// readyTimeout bounds the wait for the carrier of a link. Assumed: the
	// kernel's link watch runs at most once a second.
	readyTimeout = 5 * time.Second
	readyPoll    = time.Millisecond
)

// waitReady waits until every interface of the node passes packets. Both ends
// are up by now, but the kernel attaches the queue of the end that came first
// from a worker (net/core/link_watch.c); until then it would drop packets.
func (n *namespace) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	tick := time.NewTicker(readyPoll)
	defer tick.Stop()
	n.mu.Lock()
	defer n.mu.Unlock()
	for iface := range n.index { // the order does not matter: all must be ready
		for {
			link, err := n.link(iface)
			if err != nil {
				return named(n, err)
			}
			if link.Attrs().OperState == netlink.OperUp {
				break
			}
			select {
			case <-ctx.Done():
				return named(n, fmt.Errorf("interface %s is not ready: state %v: %w", iface, link.Attrs().OperState, ctx.Err()))
			case <-tick.C:
			}
		}
	}
	return nil
}
