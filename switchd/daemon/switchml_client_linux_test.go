package daemon_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/wire/inet"
)

// Offsets of the public client's frames. They are written down here again, apart
// from package wire/switchml, for the two to be held against each other.
const (
	offIPLen, offIPSum     = 16, 24
	offSrcIP, offDstIP     = 26, 30
	offSrcPort, offDstPort = 34, 36
	offUDPLen, offUDPSum   = 38, 40
	offType, offJob, offID = 42, 43, 44
	offSlot, offE0, offE1  = 48, 50, 51
	offValues              = 52
	switchPort             = 0xBEE0
	setBit                 = 1 << 15
	resend                 = 10 * time.Millisecond
	longestWait            = 5 * time.Second // of a job without any answer
)

// rawHost is an interface taken over whole, as DPDK does: the kernel of its
// namespace has no address on it.
type rawHost struct {
	fd             int
	mac, switchMAC [6]byte
	ip, switchIP   [4]byte
	elements       int
	sport          uint16 // of thread 0
}

func (s *rawHost) frameLen() int { return offValues + 4*s.elements }

// open takes the interface of the calling thread's namespace.
func (s *rawHost) open(index int) error {
	var err error
	all := binary.NativeEndian.Uint16([]byte{0, 3}) // ETH_P_ALL, big-endian
	if s.fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0); err != nil {
		return err
	}
	return errors.Join(
		unix.SetsockoptInt(s.fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1),
		unix.SetsockoptTimeval(s.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 1000}),
		unix.Bind(s.fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: index}),
	)
}

func (s *rawHost) close() error { return unix.Close(s.fd) }

// frame is a frame from scratch: an IP checksum of zero, and only the sum of the
// pseudo header where the UDP checksum goes, as for an interface that fills them.
func (s *rawHost) frame(thread int, job byte) []byte {
	b := make([]byte, s.frameLen())
	copy(b[12:], []byte{0x08, 0x00, 0x45, 0})
	binary.BigEndian.PutUint16(b[offIPLen:], uint16(len(b)-14))
	b[22], b[23] = 64, 17
	binary.BigEndian.PutUint16(b[offUDPLen:], uint16(len(b)-34))
	size := byte(1)
	if s.elements == 256 {
		size = 3
	}
	b[offType], b[offJob] = 1<<4|size, job
	s.address(b, s.sport+uint16(thread))
	return b
}

// address writes what the client writes of every frame's headers.
func (s *rawHost) address(b []byte, sport uint16) {
	copy(b[0:], s.switchMAC[:])
	copy(b[6:], s.mac[:])
	copy(b[offSrcIP:], s.ip[:])
	copy(b[offDstIP:], s.switchIP[:])
	binary.BigEndian.PutUint16(b[offSrcPort:], sport)
	binary.BigEndian.PutUint16(b[offDstPort:], switchPort)
	b[offIPSum], b[offIPSum+1] = 0, 0
	sum := uint32(17) + uint32(binary.BigEndian.Uint16(b[offUDPLen:]))
	for at := offSrcIP; at < offSrcPort; at += 2 {
		sum += uint32(binary.BigEndian.Uint16(b[at:]))
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	binary.BigEndian.PutUint16(b[offUDPSum:], uint16(sum))
}

func (s *rawHost) send(b []byte) error {
	_, err := unix.Write(s.fd, b)
	return err
}

// recv returns the next frame, in memory of its own, or nil after a millisecond.
func (s *rawHost) recv() ([]byte, error) {
	b := make([]byte, 2048)
	n, err := unix.Read(s.fd, b)
	switch {
	case errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return b[:n], s.check(b[:n])
}

// check holds a frame from the switch against what the public client stands on.
func (s *rawHost) check(b []byte) error {
	var errs []error
	want := func(what string, ok bool) {
		if !ok {
			errs = append(errs, fmt.Errorf("a result with wrong %s", what))
		}
	}
	if len(b) != s.frameLen() {
		return fmt.Errorf("a frame of %d bytes, want %d: % x", len(b), s.frameLen(), b[:min(len(b), offValues)])
	}
	want("addresses", [6]byte(b[0:6]) == s.mac && [6]byte(b[6:12]) == s.switchMAC && [4]byte(b[offSrcIP:]) == s.switchIP && [4]byte(b[offDstIP:]) == s.ip)
	want("IP header", b[14] == 0x45 && b[15] == 0 && b[18]|b[19]|b[20]|b[21] == 0 && b[22] == 64 && b[23] == 17)
	want("IP length", int(binary.BigEndian.Uint16(b[offIPLen:])) == len(b)-14)
	want("IP checksum", inet.Fold(inet.Sum(b[14:34], 0)) == 0xffff)
	want("UDP length", int(binary.BigEndian.Uint16(b[offUDPLen:])) == len(b)-34)
	udp := inet.UDP(b[34:])
	if sum := binary.BigEndian.Uint16(b[offUDPSum:]); sum != 0 {
		udp.SetChecksum(0)
		want("UDP checksum", inet.TransportChecksum(inet.IPv4(b[14:]), udp, nil) == sum)
		binary.BigEndian.PutUint16(b[offUDPSum:], sum)
	}
	port := binary.BigEndian.Uint16(b[offDstPort:])
	want("ports", binary.BigEndian.Uint16(b[offSrcPort:]) == switchPort && port >= s.sport && port < s.sport+16)
	want("type", b[offType] == 1<<4|map[int]byte{64: 1, 256: 3}[s.elements])
	want("slot field", b[offSlot]&0x40 == 0)
	return errors.Join(errs...)
}

// tensor is one job's data at one worker, packet by packet.
type tensor interface {
	packets() int
	// exponent is that of a packet's block.
	exponent(packet int) int8
	// put writes a packet's values, and take reads its sums, under a common exponent.
	put(packet int, e int8, to []byte)
	take(packet int, e int8, from []byte)
	// ahead reports whether exponents travel one batch ahead.
	ahead() bool
}

// publicClient is one worker of the public kind. Its threads are the slots and
// ports they own; one loop serves them all.
type publicClient struct {
	rawHost
	threads, window int      // window: slots of a thread
	sets            []uint16 // by slot: the set of its next packet, kept across jobs
	jobs            byte     // job counter
	loss            float64  // of each frame, either way
	dice            *rand.Rand
	resent          int
}

// slot is a slot of the window and its packet under way.
type clientSlot struct {
	thread, index int // index: in the pool
	number        int // of the packet under way, among those of its thread; the first batch of a float job has exponents alone
	end           int
	scale         int8 // exponent of the values under way
	frame         []byte
	due           time.Time
	done          bool
}

// reduce runs one job and returns when all sums are there.
func (c *publicClient) reduce(t tensor) error {
	if c.sets == nil {
		c.sets = make([]uint16, 2*c.window*c.threads)
	}
	job := c.jobs
	c.jobs++
	slots := map[int]*clientSlot{}
	for thread := range c.threads {
		end := c.range0(t, thread+1) - c.range0(t, thread)
		if t.ahead() {
			end += c.window
		}
		for i := range min(c.window, end) {
			s := &clientSlot{thread: thread, index: 2*c.window*thread + i, number: i, end: end}
			s.frame = c.frame(thread, job)
			slots[s.index] = s
			if err := c.post(t, s); err != nil {
				return err
			}
		}
	}
	left, deadline := len(slots), time.Now().Add(longestWait)
	for left > 0 {
		b, err := c.recv()
		if err != nil {
			return err
		}
		now := time.Now()
		if now.After(deadline) {
			return fmt.Errorf("job %d: %d of %d slots wait in vain", job, left, len(slots))
		}
		if b == nil {
			if err := c.again(slots, now); err != nil {
				return err
			}
			continue
		}
		if c.dice.Float64() < c.loss {
			continue
		}
		s := slots[int(binary.BigEndian.Uint16(b[offSlot:])&0x3fff)]
		if s == nil || s.done || !c.answers(b, s) {
			continue // an answer to a packet that was sent twice
		}
		if b[offJob] != job {
			return fmt.Errorf("a result of job %d in job %d", b[offJob], job)
		}
		deadline = now.Add(longestWait)
		if err := c.result(t, s, b); err != nil {
			return err
		}
		if s.done {
			left--
		}
	}
	return nil
}

// range0 is the first packet of a thread.
func (c *publicClient) range0(t tensor, thread int) int { return t.packets() * thread / c.threads }

// answers reports whether a frame is the result of a slot's packet.
func (c *publicClient) answers(b []byte, s *clientSlot) bool {
	return binary.LittleEndian.Uint32(b[offID:]) == binary.LittleEndian.Uint32(s.frame[offID:]) &&
		binary.BigEndian.Uint16(b[offSlot:]) == binary.BigEndian.Uint16(s.frame[offSlot:])
}

// result takes a result in and sends the slot's next packet in the same memory:
// lengths, type and job byte stay as the switch sent them, and so does the second
// exponent.
func (c *publicClient) result(t tensor, s *clientSlot, b []byte) error {
	first, data := c.range0(t, s.thread), s.number
	if t.ahead() {
		data -= c.window
	}
	if data >= 0 {
		t.take(first+data, s.scale, b[offValues:])
	}
	s.scale = int8(b[offE0])
	if s.number += c.window; s.number >= s.end {
		s.done = true
		return nil
	}
	s.frame = b
	c.address(b, c.sport+uint16(s.thread))
	return c.post(t, s)
}

// post writes a slot's packet into its frame and sends it.
func (c *publicClient) post(t tensor, s *clientSlot) error {
	b, first, data := s.frame, c.range0(t, s.thread), s.number
	binary.LittleEndian.PutUint32(b[offID:], uint32(first+s.number))
	binary.BigEndian.PutUint16(b[offSlot:], c.sets[s.index]*setBit|uint16(s.index))
	c.sets[s.index] ^= 1
	if t.ahead() {
		if s.number < s.end-c.window {
			b[offE0] = byte(t.exponent(first + s.number))
		}
		data -= c.window
	}
	if data >= 0 {
		t.put(first+data, s.scale, b[offValues:])
	}
	return c.transmit(s, time.Now())
}

func (c *publicClient) transmit(s *clientSlot, now time.Time) error {
	s.due = now.Add(resend)
	if c.dice.Float64() < c.loss {
		return nil
	}
	return c.send(s.frame)
}

// again sends what was not answered in time.
func (c *publicClient) again(slots map[int]*clientSlot, now time.Time) error {
	for _, s := range slots {
		if s.done || now.Before(s.due) {
			continue
		}
		c.resent++
		if err := c.transmit(s, now); err != nil {
			return err
		}
	}
	return nil
}

// integers is a tensor of int32, summed as they are.
type integers struct{ sent, got [][]int32 }

func (v *integers) packets() int      { return len(v.sent) }
func (v *integers) exponent(int) int8 { return 0 }
func (v *integers) ahead() bool       { return false }
func (v *integers) put(p int, _ int8, to []byte) {
	for i, x := range v.sent[p] {
		binary.BigEndian.PutUint32(to[4*i:], uint32(x))
	}
}

func (v *integers) take(p int, _ int8, from []byte) {
	for i := range v.got[p] {
		v.got[p][i] = int32(binary.BigEndian.Uint32(from[4*i:]))
	}
}

// floats is a tensor of float32, scaled by block.
type floats struct {
	workers   int
	sent, got [][]float32
}

func (v *floats) packets() int { return len(v.sent) }
func (v *floats) ahead() bool  { return true }

// exponent is e with 2^e above all values of the block.
func (v *floats) exponent(p int) int8 {
	var most float32
	for _, x := range v.sent[p] {
		most = max(most, float32(math.Abs(float64(x))))
	}
	return int8(int(math.Float32bits(most)>>23) - 126)
}

func (v *floats) scale(e int8) float64 {
	return math.MaxInt32 / (float64(v.workers) * math.Ldexp(1, int(e)))
}

func (v *floats) put(p int, e int8, to []byte) {
	for i, x := range v.sent[p] {
		binary.BigEndian.PutUint32(to[4*i:], uint32(int32(math.Round(float64(x)*v.scale(e)))))
	}
}

func (v *floats) take(p int, e int8, from []byte) {
	for i := range v.got[p] {
		v.got[p][i] = float32(float64(int32(binary.BigEndian.Uint32(from[4*i:]))) / v.scale(e))
	}
}
