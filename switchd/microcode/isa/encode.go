package isa

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
)

// magic begins every encoded program; its last byte is the version.
const magic = "inalab microcode\x03"

// MaxEncoded is the most bytes that [Decode] reads: thousands of instructions, and
// few enough that expressions nested to the limit fit a goroutine's stack.
const MaxEncoded = 1 << 20

// register tells gob of every kind of expression; to repeat it does no harm.
func register() {
	for _, e := range []Expr{Const(0), Wire(0), Reg{}, LMEM{}, Unary{}, Binary{}, Select{}, Pair{}} {
		gob.Register(e)
	}
}

// Encode writes the program in the format that [Decode] reads. The format is
// this project's own: no source describes the chip's.
func (p *Program) Encode(w io.Writer) error {
	if _, err := io.WriteString(w, magic); err != nil {
		return err
	}
	register()
	return gob.NewEncoder(w).Encode(p)
}

// Decode reads a program that Encode wrote, and validates it: any bytes give an
// error or a program that a thread can run and that keeps the rules of the engine,
// as what the compiler makes does.
func Decode(r io.Reader) (*Program, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxEncoded+1))
	if err != nil {
		return nil, err
	}
	body, ok := bytes.CutPrefix(data, []byte(magic))
	switch {
	case len(data) > MaxEncoded:
		return nil, fmt.Errorf("a compiled program has at most %d bytes", MaxEncoded)
	case !ok:
		return nil, errors.New("not a compiled program of this version: build it again with inalab microcode build")
	}
	register()
	p := &Program{}
	if err := gob.NewDecoder(bytes.NewReader(body)).Decode(p); err != nil {
		return nil, fmt.Errorf("reading a compiled program: %w", err)
	}
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("reading a compiled program: %w", err)
	}
	for i := range p.Instructions {
		in := &p.Instructions[i]
		for _, x := range in.Resources().Over() {
			return nil, fmt.Errorf("reading a compiled program: %s: instruction %d %s", in.Pos, i, x)
		}
	}
	return p, nil
}

// Encoded reports whether data begins like an encoded program.
func Encoded(data []byte) bool { return bytes.HasPrefix(data, []byte(magic[:len(magic)-1])) }
