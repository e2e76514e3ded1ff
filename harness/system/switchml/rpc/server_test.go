package rpc

import (
	"context"
	"errors"
	"net"
	"regexp"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/switchmlproto"
	switchmlsession "github.com/inalab/inalab/switchd/program/switchml/session"
)

// The order of the public client sets a job up, again and again on one switch:
// every run has clients of its own, whose rank 0 makes up a new id, or not.
func TestSetUp(t *testing.T) {
	s := serve(t, 0)
	for _, n := range []int{2, 3, 4, 1} {
		for _, id := range []uint64{7, 7, 1 << 60} {
			for rank, err := range s.all(n, id) {
				if err != nil {
					t.Fatalf("rank %d of %d: %v", rank, n, err)
				}
			}
			j := s.only(t)
			if !j.Complete() || j.NumWorkers != n || j.Session != id || j.Elements != 256 || int(j.Workers[n-1].Port) != n-1 {
				t.Errorf("job %+v", j)
			}
			s.alone()
		}
	}
}

// Who dies in the set-up is named to the others, and the next run succeeds.
func TestDeathOfAClient(t *testing.T) {
	s := serve(t, 0)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c := []*client{s.dial(0, 3), s.dial(1, 3), s.dial(2, 3)}
	for _, w := range c {
		if err := w.broadcast(ctx, 7); err != nil {
			t.Fatal(err)
		}
	}
	if err := c[0].session(ctx); err != nil {
		t.Fatal(err)
	}
	told := make(chan error, 2)
	for _, w := range c[:2] {
		go func() { told <- w.barrier(ctx) }()
	}
	if err := c[2].conn.Close(); err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`^Barrier: rank 2 at 127\.0\.0\.1:\d+ has gone, one of 3 workers that wait for one another: start all of them again$`)
	for range 2 {
		if err := <-told; status.Code(err) != codes.Aborted || !text.MatchString(status.Convert(err).Message()) {
			t.Errorf("error %v", err)
		}
	}
	for _, err := range s.all(3, 7) { // while ranks 0 and 1 are still connected
		if err != nil {
			t.Fatal(err)
		}
	}
	if j := s.only(t); !j.Complete() {
		t.Errorf("job %+v", j)
	}
}

// A worker that never comes is named when the patience ends.
func TestTimeout(t *testing.T) {
	s := serve(t, 50*units.Millisecond)
	c := s.dial(0, 2)
	if err := c.broadcast(t.Context(), 7); err != nil {
		t.Fatal(err)
	}
	if err := c.session(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := c.barrier(t.Context())
	text := regexp.MustCompile(`^Barrier of 2 workers: not all called it within \S+ms: called by rank 0; missing: rank 1 \(never came\): start who is missing, then all again$`)
	if status.Code(err) != codes.DeadlineExceeded || !text.MatchString(status.Convert(err).Message()) {
		t.Errorf("error %v", err)
	}
	err = s.dial(1, 3).broadcast(t.Context(), 0)
	text = regexp.MustCompile(`^Broadcast: rank 0, the root of 3 workers, has not called it within \S+ms \(never came\): start it, then all again$`)
	if status.Code(err) != codes.DeadlineExceeded || !text.MatchString(status.Convert(err).Message()) {
		t.Errorf("error %v", err)
	}
}

// A client that gives a call up is not counted.
func TestCancelledCall(t *testing.T) {
	s := serve(t, 0)
	c := []*client{s.dial(0, 2), s.dial(1, 2)}
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() { gone <- c[0].barrier(ctx) }()
	cancel()
	if err := <-gone; status.Code(err) != codes.Canceled {
		t.Fatalf("error %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- c[0].barrier(t.Context()) }()
	peer, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for c[1].barrier(peer) == nil { // once more where it met the cancelled call on its way out
		}
	}()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestStatusOfFaults(t *testing.T) {
	s := serve(t, 0)
	ctx := t.Context()
	c := s.dial(0, 2)
	bad := c.request()
	bad.PacketSize = 9
	_, err := c.UdpSession(ctx, bad)
	want(t, err, codes.InvalidArgument, "UdpSession: packet_size 9 is unknown: use 1 for 256 bytes of values or 3 for 1024")
	bad = c.request()
	bad.Mac, bad.Ipv4 = 0x020000000077, 0x7f000001
	_, err = c.UdpSession(ctx, bad)
	if status.Code(err) != codes.NotFound {
		t.Errorf("error %v", err)
	}
	rank1 := s.dial(1, 2)
	want(t, rank1.session(ctx), codes.FailedPrecondition, "UdpSession: rank 1: there is no job 0 on tor: let rank 0 open it first, and wait for it with a Barrier")
	if err := c.session(ctx); err != nil {
		t.Fatal(err)
	}
	other := rank1.request()
	other.Rank, other.SessionId = 0, 8
	_, err = rank1.UdpSession(ctx, other)
	want(t, err, codes.ResourceExhausted, "UdpSession: job 8: the switch has a job: end it first")
	other.SessionId = 0
	_, err = rank1.UdpSession(ctx, other)
	want(t, err, codes.AlreadyExists, "UdpSession: there is a job 0 on tor already, with rank 0 at 02:00:00:00:00:00 10.1.0.1: give this one another session_id, or end that one first")
	s.mu.Lock()
	s.busy = errors.New("it did not get to it within 1s: try again")
	s.mu.Unlock()
	want(t, rank1.session(ctx), codes.Unavailable, "UdpSession: it did not get to it within 1s: try again")
}

func TestRdmaSession(t *testing.T) {
	s := serve(t, 0)
	c := s.dial(0, 1)
	got, err := c.RdmaSession(t.Context(), &switchmlproto.RdmaSessionRequest{
		SessionId: 3, NumWorkers: 1, Mac: 0x020000000000, Ipv4: 0x0a010001, Rkey: 5, PacketSize: switchmlproto.PacketSize_PACKET_SIZE_256, MessageSize: 4096,
		Qpns: []uint32{10, 11}, Psns: []uint32{20, 21},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.GetSessionId() != 3 || got.GetMac() != 0x020200000001 || got.GetIpv4() != 0x0a01fffe || len(got.GetQpns()) != 2 || len(got.GetPsns()) != 2 {
		t.Errorf("answer %v", got)
	}
	if j := s.only(t); j.Elements != 64 || j.RDMA == nil || j.RDMA.MessageBytes != 4096 || j.Workers[0].RDMA.QPNs[1] != 11 {
		t.Errorf("job %+v", j)
	}
}

// The end of the server ends calls that wait.
func TestClose(t *testing.T) {
	s := serve(t, 0)
	c := s.dial(0, 2)
	if err := c.broadcast(t.Context(), 1); err != nil { // the server is there
		t.Fatal(err)
	}
	waits := make(chan error, 1)
	go func() { waits <- c.barrier(t.Context()) }()
	s.server.Close()
	if err := <-waits; status.Code(err) != codes.Unavailable {
		t.Errorf("error %v", err)
	}
}

func TestConfig(t *testing.T) {
	_, err := New(switchmlsession.Config{Switch: "tor"}, &books{})
	if want := "configuring SwitchML sessions of tor: address invalid IP: it must be an IPv4 address"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// Connections beyond the limit are closed at once, and there is room again when
// one ends.
func TestConnectionLimit(t *testing.T) {
	s := serve(t, 0)
	var open []net.Conn
	for range MaxConns {
		c, err := net.Dial("tcp4", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, c)
		if n, err := c.Read(make([]byte, 1)); n != 1 { // the server's settings
			t.Fatalf("connection %d: %v", len(open), err)
		}
	}
	c, err := net.Dial("tcp4", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := c.Read(make([]byte, 1)); err == nil {
		t.Errorf("%d bytes on a connection too many", n)
	}
	for _, c := range append(open, c) {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
