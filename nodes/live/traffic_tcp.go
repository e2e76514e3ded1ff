package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/meter"
	"github.com/inalab/inalab/nodes/traffic"
)

// TCPEnd is an end of a flow of the kernel's TCP.
type TCPEnd struct {
	Flow          string           // its name
	Sends         *traffic.Pattern `json:",omitempty"` // nil: this end receives
	Local, Remote netip.AddrPort
	ECN           bool // the sender asks for ECN, which receivers grant by default
}

// ecnSetting says whether connections that are opened ask for ECN (ip-sysctl, tcp_ecn): 1 they
// do. It holds for the network namespace.
const ecnSetting = "/proc/sys/net/ipv4/tcp_ecn"

// tcpEnd is an end of TCP. A receiving one listens.
type tcpEnd struct {
	TCPEnd
	listener *net.TCPListener
	dialing  *sync.Mutex // held while a connection is opened: others must not find the setting of ECN
	meter    *meter.Meter
}

func (e *TCPEnd) open(ctx context.Context, dialing *sync.Mutex) (*tcpEnd, error) {
	out := &tcpEnd{TCPEnd: *e, dialing: dialing}
	if e.Sends != nil {
		return out, nil
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", e.Local.String())
	if err != nil {
		return nil, err
	}
	out.listener = l.(*net.TCPListener)
	return out, nil
}

func (e *tcpEnd) close() error {
	if e.listener == nil {
		return nil
	}
	if err := e.listener.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

func (e *tcpEnd) run(ctx context.Context, clock pktio.Clock) (r EndReport, err error) {
	r.Flow = e.Flow
	if r.Sends = e.Sends != nil; r.Sends {
		r.Sent, err = e.send(ctx, clock)
	} else {
		r.Received, err = e.receive(ctx, clock)
		r.Series = e.meter.Series()
	}
	return r, flowError(e.Flow, err)
}

// send opens the connection when the flow starts, and writes what is due until it stops or
// the run is over. A while later it looks at what the kernel counted.
func (e *tcpEnd) send(ctx context.Context, clock pktio.Clock) (sent traffic.Sent, err error) {
	if !sleepUntil(ctx, clock, units.Time(e.Sends.Start)) {
		return sent, nil
	}
	conn, err := e.dial(ctx)
	if err != nil {
		if ctx.Err() != nil {
			err = nil // the network let no connection come about
		}
		return sent, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	defer context.AfterFunc(ctx, func() { _ = conn.SetWriteDeadline(time.Now()) })()
	if sent.Bytes, err = e.write(ctx, clock, conn); err != nil {
		return sent, err
	}
	if err := conn.CloseWrite(); err != nil {
		return sent, err
	}
	later, cancel := lingering(ctx)
	defer cancel()
	<-later.Done() // what the kernel still holds is sent
	n, err := segmentsOf(conn)
	sent.Packets, sent.Resent, sent.Echoes = n.out, n.again, n.echoes
	return sent, err
}

// write writes by the pattern, and returns how much the kernel took.
func (e *tcpEnd) write(ctx context.Context, clock pktio.Clock, conn net.Conn) (written units.Bytes, err error) {
	writer := traffic.NewWriter(*e.Sends)
	block := make([]byte, e.Sends.Packet)
	for {
		due := writer.Due(clock.Now())
		if due == units.Never || !sleepUntil(ctx, clock, due) {
			return written, nil
		}
		n, err := conn.Write(block)
		written += units.Bytes(n)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return written, nil
		}
		if err != nil {
			return written, err
		}
		writer.Next()
	}
}

// dial opens the connection.
func (e *tcpEnd) dial(ctx context.Context) (conn *net.TCPConn, err error) {
	e.dialing.Lock()
	defer e.dialing.Unlock()
	if e.ECN {
		restore, askErr := askForECN()
		if askErr != nil {
			return nil, fmt.Errorf("asking for ECN: %w", askErr)
		}
		defer func() { err = errors.Join(err, restore()) }()
	}
	d := net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(e.Local), KeepAlive: -1, Control: setCongestion}
	c, err := d.DialContext(ctx, "tcp4", e.Remote.String())
	if err != nil {
		return nil, err
	}
	return c.(*net.TCPConn), nil
}

// segments are those of a connection with data.
type segments struct {
	out, in uint64
	again   result.Resent
	echoes  uint64 // of those out, whose acknowledgement told of a mark
}

// askForECN has connections that are opened ask for ECN. The function that it returns undoes
// that.
func askForECN() (restore func() error, err error) {
	before, err := os.ReadFile(ecnSetting)
	if err != nil {
		return nil, err
	}
	return func() error { return os.WriteFile(ecnSetting, before, 0) }, os.WriteFile(ecnSetting, []byte("1"), 0)
}

// receive takes what comes by one connection, until its sender closes it or a while after the
// run is over.
func (e *tcpEnd) receive(ctx context.Context, clock pktio.Clock) (got traffic.Received, err error) {
	ctx, cancel := lingering(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = e.listener.SetDeadline(time.Now()) })()
	conn, err := e.listener.AcceptTCP()
	if err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			err = nil // the flow did not start, or the network let no connection come about
		}
		return got, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	defer context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Now()) })()
	buffer := make([]byte, readBuffer)
	for {
		n, err := conn.Read(buffer)
		if n > 0 {
			got.Bytes, got.Last = got.Bytes+units.Bytes(n), clock.Now()
			e.meter.Add(got.Last, units.Bytes(n))
		}
		if errors.Is(err, io.EOF) || errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
		if err != nil {
			return got, err
		}
	}
	n, err := segmentsOf(conn)
	got.Packets = n.in
	return got, err
}

// readBuffer is what one read takes at most (assumed: four super-packets).
const readBuffer = 256 << 10

// sleepUntil waits until an instant of the run, and reports whether it came before ctx ended.
func sleepUntil(ctx context.Context, clock pktio.Clock, at units.Time) bool {
	wait := at.Sub(clock.Now())
	if wait <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(time.Duration(wait / units.Nanosecond))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
