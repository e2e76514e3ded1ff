package keeper

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// hangUpGrace is how long the program of a client that has gone away has to end (assumed).
const hangUpGrace = time.Second

// converse carries one client's request out. What goes wrong with the connection concerns the
// client alone, which notices.
func (k *keeper) converse(conn *net.UnixConn) {
	defer conn.Close()
	request, files, lines, err := receive(conn)
	defer closeAll(files)
	if err == nil && len(files) != standardFiles {
		err = fmt.Errorf("%d files came with the request: three are needed", len(files))
	}
	if err != nil {
		answer(conn, Answer{Error: err.Error()})
		return
	}
	pid, done, err := k.start(request, files)
	if err != nil {
		_, known := k.cfg.Nodes[request.Node]
		answer(conn, Answer{Error: err.Error(), Unknown: request.Node != "" && !known})
		return
	}
	closeAll(files) // the program has them
	answer(conn, Answer{PID: pid})
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		obey(lines, pid)
	}()
	select {
	case status := <-done:
		k.tell(request, "ended", pid, codeOf(status))
		answer(conn, Answer{Ended: true, Code: codeOf(status)})
		_ = conn.Close()
		<-gone
	case <-gone:
		k.tell(request, "ended", pid, codeOf(hangUp(pid, done)))
	}
}

// start starts what a client asks for.
func (k *keeper) start(r Request, files []*os.File) (int, <-chan unix.WaitStatus, error) {
	path, known := k.cfg.Nodes[r.Node]
	switch {
	case r.Version != Version:
		return 0, nil, fmt.Errorf("the request is of version %d, this lab speaks %d: use the program that started the lab", r.Version, Version)
	case r.Node != "" && !known:
		return 0, nil, fmt.Errorf("there is no node %q", r.Node)
	case len(r.Args) == 0:
		return 0, nil, errors.New("no program is given")
	}
	cmd := &exec.Cmd{
		Path: r.Path, Args: r.Args, Env: r.Env, Dir: r.Dir, Stdin: files[0], Stdout: files[1], Stderr: files[2],
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, Setctty: r.Terminal},
	}
	if info, err := os.Stat(r.Dir); err != nil || !info.IsDir() {
		cmd.Dir = "/"
	}
	pid, done, err := k.reaper.started(func() (int, error) {
		if err := k.starter.start(cmd, r.Node, path); err != nil {
			return 0, err
		}
		pid := cmd.Process.Pid
		return pid, cmd.Process.Release()
	})
	if err != nil {
		return 0, nil, err
	}
	k.mu.Lock()
	k.started++
	k.mu.Unlock()
	k.tell(r, "started", pid, 0)
	return pid, done, nil
}

func (k *keeper) tell(r Request, what string, pid, code int) {
	t := Told{Event: "program-" + what, Node: r.Node, PID: pid, Args: r.Args}
	if what == "ended" {
		t.Code = &code
	}
	text, err := json.Marshal(t)
	if err == nil {
		_ = k.ctl.Tell(string(text)) // the parent may have gone, and this process goes with it
	}
}

// receive reads a request and the files that come with it.
func receive(conn *net.UnixConn) (r Request, files []*os.File, lines *bufio.Scanner, err error) {
	first, oob := make([]byte, 64<<10), make([]byte, unix.CmsgSpace(4*standardFiles))
	n, oobn, _, _, err := conn.ReadMsgUnix(first, oob)
	if err != nil {
		return r, nil, nil, err
	}
	files = filesOf(oob[:oobn])
	lines = bufio.NewScanner(io.MultiReader(bytes.NewReader(first[:n]), conn))
	lines.Buffer(make([]byte, 0, 64<<10), maxRequest)
	if !lines.Scan() {
		return r, files, lines, errors.Join(errors.New("the request is cut off, or too long"), lines.Err())
	}
	return r, files, lines, json.Unmarshal(lines.Bytes(), &r)
}

// filesOf returns the files of control messages.
func filesOf(oob []byte) (files []*os.File) {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil
	}
	for _, m := range messages {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			continue
		}
		for _, fd := range fds {
			unix.CloseOnExec(fd)
			files = append(files, os.NewFile(uintptr(fd), "client"))
		}
	}
	return files
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // twice does no harm
	}
}

// obey passes signals on until the client goes away.
func obey(lines *bufio.Scanner, pid int) {
	for lines.Scan() {
		var o Order
		if json.Unmarshal(lines.Bytes(), &o) == nil && o.Signal > 0 {
			_ = unix.Kill(-pid, unix.Signal(o.Signal)) // it may have ended just now
		}
	}
}

// hangUp ends the program of a client that has gone away, and returns how it ended.
func hangUp(pid int, done <-chan unix.WaitStatus) unix.WaitStatus {
	_ = unix.Kill(-pid, unix.SIGHUP)
	_ = unix.Kill(-pid, unix.SIGCONT)
	timer := time.NewTimer(hangUpGrace)
	defer timer.Stop()
	select {
	case status := <-done:
		return status
	case <-timer.C:
	}
	_ = unix.Kill(-pid, unix.SIGKILL)
	return <-done
}

// codeOf is the exit code of a program as a shell has it.
func codeOf(s unix.WaitStatus) int {
	if s.Signaled() {
		return 128 + int(s.Signal())
	}
	return s.ExitStatus()
}

func answer(conn *net.UnixConn, a Answer) {
	line, err := encode(a)
	if err == nil {
		_, _ = conn.Write(line)
	}
}
