package datagram

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/sansio"
)

// TxBatch is the messages of one sendmmsg: 4 MiB at most, a fraction of a millisecond (assumed).
const TxBatch = 64

// TxPatience is how long one Send waits in all for room in the send buffer: 32 MiB drain in
// 2.7 ms at 100 Gbit/s (assumed).
const TxPatience = 5 * time.Millisecond

// Outbox is the batch that goes to the kernel next. Its fields are set before use.
type Outbox struct {
	*Messages
	FD     int
	Header int           // bytes of headers that each frame is counted with
	Stats  *pktio.Stats  // what was sent is added here
	Drops  *sansio.Tally // and what was not
	// Segments says that the kernel splits messages. It is cleared when the kernel cannot.
	Segments bool
	// Raw is of a raw socket: where its buffer is full, the kernel says ENOBUFS instead of EAGAIN
	// (__ip_append_data in net/ipv4/ip_output.c).
	Raw bool

	frames [TxBatch]int
	n      int
	until  time.Time // when the patience of the Send that runs ends; zero: untried
	room   [1]unix.PollFd
}

// Begin starts a Send: its patience is whole.
func (o *Outbox) Begin() { o.until = time.Time{} }

// Add returns the index of a further message, of so many frames. What the message borrows is
// needed until the next Flush.
func (o *Outbox) Add(frames int) (int, error) {
	if o.n == TxBatch {
		if err := o.Flush(); err != nil {
			return 0, err
		}
	}
	i := o.n
	o.n++
	o.frames[i] = frames
	return i, nil
}

// Flush hands the batch to the kernel, and counts. The kernel reports an error only for the first
// message of a call, so each error is one message's. An error that is returned is the socket's.
func (o *Outbox) Flush() error {
	defer o.clear()
	for i := 0; i < o.n; {
		n, errno := mmsg(unix.SYS_SENDMMSG, o.FD, o.hdrs[i:o.n])
		if errno == 0 {
			o.countSent(i, i+n)
			i += n
			continue
		}
		if o.Raw && errno == unix.ENOBUFS {
			errno = unix.EAGAIN
		}
		if errno == unix.EAGAIN && o.awaitRoom() {
			continue
		}
		reason := DropReason(errno)
		if reason == "" {
			return errno
		}
		if errno == unix.EIO {
			o.Segments = false
		}
		o.Drops.Add(reason, 1)
		i++
	}
	return nil
}

// clear empties the batch and lets go of the bodies.
func (o *Outbox) clear() {
	for i := range o.iovs[:o.n*parts] {
		o.iovs[i].Base = nil
	}
	o.n = 0
}

func (o *Outbox) countSent(i, j int) {
	for ; i < j; i++ {
		o.Stats.TxTrains++
		o.Stats.TxFrames += uint64(o.frames[i])
		o.Stats.TxBytes += uint64(o.frames[i]*o.Header) + uint64(o.Len(i))
	}
}

// awaitRoom waits until the socket takes more, and reports whether the time
// that a Send may wait had not ended before.
func (o *Outbox) awaitRoom() bool {
	if o.until.IsZero() {
		o.until = time.Now().Add(TxPatience)
	}
	left := time.Until(o.until)
	if left <= 0 {
		return false
	}
	limit := unix.NsecToTimespec(int64(left))
	o.room[0] = unix.PollFd{Fd: int32(o.FD), Events: unix.POLLOUT}
	_, err := unix.Ppoll(o.room[:], &limit, nil)
	return err == nil || err == unix.EINTR
}

// DropReason names the errors that are one packet's fate; any other, for which it returns
// nothing, means that the socket is broken.
func DropReason(errno unix.Errno) string {
	switch errno {
	case unix.EAGAIN:
		return DropTxFull
	case unix.ENOBUFS, unix.ENOMEM:
		return DropNoBuffers
	case unix.EMSGSIZE, unix.EINVAL: // EINVAL: a segment beyond the MTU, in older kernels
		return DropMessageSize
	case unix.ENETUNREACH, unix.EHOSTUNREACH, unix.ENETDOWN, unix.EHOSTDOWN:
		return DropUnreachable
	case unix.ECONNREFUSED, unix.ENOPROTOOPT: // ports and protocols that nobody takes
		return DropRefused
	case unix.EPERM, unix.EACCES:
		return DropNotPermitted
	case unix.EIO:
		return DropGSORefused
	}
	return ""
}
