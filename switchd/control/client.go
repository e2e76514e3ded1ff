package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Client is the asking end of a switch's socket. It asks one question at a time.
type Client struct {
	conn  net.Conn
	lines *bufio.Scanner
}

// Dial connects to the socket at path.
func Dial(ctx context.Context, path string) (*Client, error) {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("open directory of control socket: %w", err)
	}
	defer dir.Close()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", within(dir, path))
	if err != nil {
		return nil, fmt.Errorf("connect to control socket %s: %w", path, cause(err))
	}
	lines := bufio.NewScanner(conn)
	lines.Buffer(make([]byte, 0, 64<<10), MaxResponse)
	return &Client{conn: conn, lines: lines}, nil
}

// Close ends the connection.
func (c *Client) Close() error { return c.conn.Close() }

// Error is what a switch answers in place of what it was asked for.
type Error struct{ Response Response }

// Error returns the text of the switch, behind its name.
func (e *Error) Error() string {
	if e.Response.Switch == "" {
		return e.Response.Error
	}
	return fmt.Sprintf("switch %s: %s", e.Response.Switch, e.Response.Error)
}

// Do asks one question and waits for its answer until ctx ends. What the switch
// says against it is an [*Error].
func (c *Client) Do(ctx context.Context, r Request) (Response, error) {
	r.Version = Version
	line, err := json.Marshal(r)
	if err != nil {
		return Response{}, fmt.Errorf("write request: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = c.conn.Close() }) // ends both waits below
	defer stop()
	var out Response
	if err = c.exchange(append(line, '\n'), &out); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return Response{}, fmt.Errorf("ask the switch: %w", err)
	}
	switch {
	case out.Error != "":
		return out, &Error{out}
	case out.Version != Version:
		return out, fmt.Errorf("the switch speaks version %d of the protocol, this program %d: use the program that started the lab", out.Version, Version)
	}
	return out, nil
}

// busyPause is how long a busy switch is left alone (assumed).
const busyPause = 50 * time.Millisecond

// Patiently asks a switch until it is not busy, or until ctx ends. One that is busy has not
// carried out what it was asked for.
func Patiently(ctx context.Context, ask func() (Response, error)) (Response, error) {
	for {
		answer, err := ask()
		if said := (*Error)(nil); !errors.As(err, &said) || said.Response.Fault != FaultBusy {
			return answer, err
		}
		pause := time.NewTimer(busyPause)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return answer, err
		}
	}
}

func (c *Client) exchange(line []byte, into *Response) error {
	_, err := c.conn.Write(line) // who is not let in is told why, without being listened to
	if !c.lines.Scan() {
		if err = errors.Join(err, c.lines.Err()); err != nil {
			return cause(err)
		}
		return errors.New("it went away before it answered")
	}
	if err := json.Unmarshal(c.lines.Bytes(), into); err != nil {
		return fmt.Errorf("its answer is not of this protocol: %w", err)
	}
	return nil
}

// Switches returns the names of the switches that have a socket in the directory
// of a lab, sorted.
func Switches(labDir string) ([]string, error) {
	entries, err := os.ReadDir(labDir)
	if err != nil {
		return nil, fmt.Errorf("list the switches of a lab: %w", err)
	}
	var out []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), Suffix); ok && e.Type() == os.ModeSocket {
			out = append(out, name)
		}
	}
	return out, nil
}
