package keeper

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Program is one that a keeper has started for this process.
type Program struct {
	conn  *net.UnixConn
	lines *bufio.Scanner
}

// Refused is why a keeper did not start a program.
type Refused struct {
	Answer
}

func (r *Refused) Error() string { return r.Answer.Error }

// ErrGone says that the keeper has gone, and the program with it.
var ErrGone = errors.New("the lab has gone")

// Start asks the keeper of a socket for a program, with the standard files given.
func Start(socket string, r Request, stdin, stdout, stderr *os.File) (*Program, error) {
	dir, err := os.Open(filepath.Dir(socket))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: within(dir, socket), Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("ask for a program: %w", err)
	}
	p := &Program{conn: conn, lines: bufio.NewScanner(conn)}
	if err := p.send(r, stdin, stdout, stderr); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return p, nil
}

func (p *Program) send(r Request, files ...*os.File) error {
	r.Version = Version
	line, err := encode(r)
	if err != nil {
		return err
	}
	var fds []int
	for _, f := range files {
		fds = append(fds, int(f.Fd()))
	}
	n, _, err := p.conn.WriteMsgUnix(line[:1], syscall.UnixRights(fds...), nil)
	if err == nil {
		_, err = p.conn.Write(line[n:])
	}
	if err != nil {
		return fmt.Errorf("ask for a program: %w", err)
	}
	a, err := p.next()
	if err == nil && a.Error != "" {
		return &Refused{a}
	}
	return err
}

// Signal sends a signal to the process group of the program.
func (p *Program) Signal(s unix.Signal) error {
	line, err := encode(Order{Signal: int(s)})
	if err == nil {
		_, err = p.conn.Write(line)
	}
	return err
}

// Wait returns the exit code of the program, as a shell has it.
func (p *Program) Wait() (code int, err error) {
	a, err := p.next()
	return a.Code, errors.Join(err, p.conn.Close())
}

func (p *Program) next() (a Answer, err error) {
	if !p.lines.Scan() {
		return a, ErrGone
	}
	return a, json.Unmarshal(p.lines.Bytes(), &a)
}
