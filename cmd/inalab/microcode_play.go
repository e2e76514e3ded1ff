package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/inalab/inalab/harness/replay"
	"github.com/inalab/inalab/internal/pcapfile"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// player plays a capture.
type player struct {
	cfg    replay.Config
	run    *replay.Run // nil: nothing was played
	clock  replay.Clock
	answer *bufio.Writer
	trace  bool
	out    *pcapfile.Writer // nil: frames that leave are not recorded
	cut    int              // packets of which the capture lacks the end
}

// play plays all packets. Those before one that cannot be read have been played.
func (p *player) play(ctx context.Context, f *microcodeRunFlags, stdout io.Writer) (err error) {
	in, err := openCapture(f.in)
	if err != nil {
		return err
	}
	defer in.Close()
	captured := f.in
	if captured == "-" {
		captured = "standard input"
	}
	capture, err := pcapfile.NewReader(captured, in)
	if err != nil {
		return err
	}
	if p.trace {
		p.cfg.Ended = replay.NewPrinter(p.answer, p.cfg.Program).Print
	}
	p.cfg.Sent = p.sent
	run, err := replay.New(p.cfg)
	if err != nil {
		return err
	}
	out, err := p.record(f, stdout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.close()) }()
	p.run = run
	err = p.frames(ctx, capture)
	return errors.Join(err, run.Finish())
}

func openCapture(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(os.Stdin), nil
	}
	return os.Open(name)
}

// frames plays the packets of a capture one by one.
func (p *player) frames(ctx context.Context, capture *pcapfile.Reader) error {
	for {
		packet, err := capture.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		at, err := p.clock.At(packet.At)
		if err != nil {
			return err
		}
		frame := packet.Data
		if n := packet.Length - len(frame); n > 0 {
			p.cut++
			frame = append(frame, make([]byte, n)...)
		}
		if err := p.run.Frame(at, sansio.Port(packet.Interface), frame); err != nil {
			return err
		}
	}
}

// pcapOut is a pcap that is written.
type pcapOut struct {
	file   io.Closer
	buffer *bufio.Writer
}

func (r *pcapOut) close() error {
	if r.buffer == nil {
		return nil
	}
	err := r.buffer.Flush()
	if r.file != nil {
		err = errors.Join(err, r.file.Close())
	}
	return err
}

// sent records a frame that leaves.
func (p *player) sent(at units.Time, frame []byte) error {
	if p.out == nil {
		return nil
	}
	return p.out.Write(p.clock.Time(at), frame, len(frame))
}

// record opens the file of --out, if there is one.
func (p *player) record(f *microcodeRunFlags, stdout io.Writer) (*pcapOut, error) {
	var r pcapOut
	switch f.out {
	case "":
		return &r, nil
	case "-":
		r.buffer = bufio.NewWriter(stdout)
	default:
		if sameFile(f.in, f.out) {
			return nil, fmt.Errorf("%s is the capture itself; name another file with --out", f.out)
		}
		file, err := os.Create(f.out)
		if err != nil {
			return nil, err
		}
		r.file, r.buffer = file, bufio.NewWriter(file)
	}
	var err error
	if p.out, err = pcapfile.NewWriter(r.buffer); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return &r, nil
}

func sameFile(a, b string) bool {
	from, err := os.Stat(a)
	to, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(from, to)
}
