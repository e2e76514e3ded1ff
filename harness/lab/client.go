package lab

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
)

// Asked is what the owner of a lab says against a request.
type Asked struct{ Response Response }

func (a *Asked) Error() string { return a.Response.Error }

// Ask asks the owner of the lab in a directory. The connection of [OpLend] stays open, and the
// switches are lent as long as it does; of others it is nil.
func Ask(dir string, r Request) (out Response, lent io.Closer, err error) {
	conn, err := dial(dir)
	if err != nil {
		return out, nil, err
	}
	r.Version = Version
	line, err := json.Marshal(r)
	if err == nil {
		_, err = conn.Write(append(line, '\n'))
	}
	lines := bufio.NewScanner(conn)
	lines.Buffer(make([]byte, 0, 4<<10), maxLine)
	switch {
	case err != nil:
	case !lines.Scan():
		err = fmt.Errorf("lab %s went away before it answered", filepath.Base(dir))
	default:
		err = json.Unmarshal(lines.Bytes(), &out)
	}
	if err == nil && out.Error != "" {
		err = &Asked{out}
	}
	if err == nil && r.Op == OpLend {
		return out, conn, nil
	}
	return out, nil, errors.Join(err, conn.Close())
}

func dial(dir string) (*net.UnixConn, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	conn, err := net.DialUnix("unix", nil, addressIn(d, filepath.Join(dir, ownerSocket)))
	if err != nil {
		return nil, fmt.Errorf("ask the owner of lab %s: %w", filepath.Base(dir), err)
	}
	return conn, nil
}
