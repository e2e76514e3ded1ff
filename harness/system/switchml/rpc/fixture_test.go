package rpc

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"runtime"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/switchmlproto"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
	switchmlsession "github.com/inalab/inalab/switchd/program/switchml/session"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// books is a switch that keeps its jobs.
type books struct {
	mu   sync.Mutex // guards what follows
	jobs map[uint8]switchml.Job
	busy error

	refused []dataplane.JobRefusal
}

func (b *books) Change(remove []int, add dataplane.Document) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.busy != nil {
		return b.busy
	}
	for _, id := range remove {
		delete(b.jobs, uint8(id))
	}
	if add == nil {
		return nil
	}
	job := add.(*switchml.Job)
	if len(b.jobs) > 0 {
		return dataplane.Refuse(dataplane.RefusedNoRoom, "end it first", "the switch has a job")
	}
	b.jobs[job.ID] = *job
	return nil
}

func (b *books) Refused() ([]dataplane.JobRefusal, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refused, b.busy
}

// only returns the one job.
func (b *books) only(t *testing.T) switchml.Job {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.jobs) != 1 {
		t.Fatalf("jobs %v, want one", b.jobs)
	}
	for _, j := range b.jobs {
		return j
	}
	return switchml.Job{}
}

// service is a server on loopback.
type service struct {
	t      *testing.T
	server *Server
	addr   string
	*books
}

func serve(t *testing.T, wait units.Duration) *service {
	t.Helper()
	cfg := switchmlsession.Config{Switch: "tor", MAC: inet.MAC{2, 2, 0, 0, 0, 1}, Addr: netip.MustParseAddr("10.1.255.254"), Patience: wait}
	for i := range 8 {
		cfg.Hosts = append(cfg.Hosts, switchmlsession.Host{MAC: inet.MAC{2, 0, 0, 0, 0, byte(i)}, Addr: netip.AddrFrom4([4]byte{10, 1, 0, byte(i + 1)}), Port: sansio.Port(i)})
	}
	b := &books{jobs: map[uint8]switchml.Job{}}
	s, err := New(cfg, b)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Close() // twice in one test
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if len(s.waiting) != 0 {
			t.Errorf("%d calls are left behind", len(s.waiting))
		}
	})
	return &service{t, s, l.Addr().String(), b}
}

// client is one client of the public kind: one connection for everything.
type client struct {
	conn *grpc.ClientConn
	switchmlproto.SessionClient
	switchmlproto.SyncClient
	rank, n int
	id      uint64
}

func (s *service) dial(rank, n int) *client {
	s.t.Helper()
	conn, err := grpc.NewClient("passthrough:///"+s.addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() }) // a test may have closed it
	return &client{conn, switchmlproto.NewSessionClient(conn), switchmlproto.NewSyncClient(conn), rank, n, 0}
}

func (c *client) broadcast(ctx context.Context, value uint64) error {
	r, err := c.Broadcast(ctx, &switchmlproto.BroadcastRequest{Value: value, Rank: uint32(c.rank), NumWorkers: uint32(c.n)})
	c.id = r.GetValue()
	return err
}

func (c *client) barrier(ctx context.Context) error {
	_, err := c.Barrier(ctx, &switchmlproto.BarrierRequest{NumWorkers: uint32(c.n)})
	return err
}

func (c *client) request() *switchmlproto.UdpSessionRequest {
	return &switchmlproto.UdpSessionRequest{
		SessionId: c.id, Rank: uint32(c.rank), NumWorkers: uint32(c.n), Mac: 0x02_00_00_00_00_00 + uint64(c.rank), Ipv4: 10<<24 | 1<<16 + uint32(c.rank) + 1,
		PacketSize: switchmlproto.PacketSize_PACKET_SIZE_1024,
	}
}

func (c *client) session(ctx context.Context) error {
	r, err := c.UdpSession(ctx, c.request())
	if err == nil && (r.GetSessionId() != c.id || r.GetMac() != 0x02_02_00_00_00_01 || r.GetIpv4() != 0x0a_01_ff_fe) {
		return errors.New("wrong answer: " + r.String())
	}
	return err
}

// setUp is the order of the public client; it ends at the first fault, and hangs
// up then.
func (c *client) setUp(ctx context.Context, id uint64) (err error) {
	others := func(f func(context.Context) error) func(context.Context) error {
		if c.rank == 0 {
			return func(context.Context) error { return nil }
		}
		return f
	}
	first := func(f func(context.Context) error) func(context.Context) error {
		if c.rank != 0 {
			return func(context.Context) error { return nil }
		}
		return f
	}
	for _, step := range []func(context.Context) error{
		func(ctx context.Context) error { return c.broadcast(ctx, id) },
		first(c.session), c.barrier, others(c.session), c.barrier,
	} {
		if err := step(ctx); err != nil {
			return errors.Join(err, c.conn.Close())
		}
	}
	return nil
}

// alone returns when the server has noticed that all clients have hung up.
func (s *service) alone() {
	s.t.Helper()
	for until := time.Now().Add(patience); ; runtime.Gosched() {
		s.server.mu.Lock()
		n := s.server.machine.Clients()
		s.server.mu.Unlock()
		if n == 0 {
			return
		}
		if time.Now().After(until) {
			s.t.Fatalf("%d clients are still connected", n)
		}
	}
}

// all runs the set-up of n workers at once, which hang up after it.
func (s *service) all(n int, id uint64) (errs []error) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	errs = make([]error, n)
	var workers sync.WaitGroup
	var clients []*client
	for rank := range n {
		c := s.dial(rank, n)
		clients = append(clients, c)
		workers.Go(func() { errs[rank] = c.setUp(ctx, id) })
	}
	workers.Wait()
	for _, c := range clients {
		_ = c.conn.Close() // who failed has closed it
	}
	return errs
}

// want wants a status.
func want(t *testing.T, err error, code codes.Code, text string) {
	t.Helper()
	if status.Code(err) != code || status.Convert(err).Message() != text {
		t.Errorf("error %v, want %v: %s", err, code, text)
	}
}
