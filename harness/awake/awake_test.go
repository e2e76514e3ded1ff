package awake

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The kernel takes the request, and forgets it when it is released.
func TestKernelKeepsThemAwake(t *testing.T) {
	if f, err := os.OpenFile(device, os.O_WRONLY, 0); err != nil {
		t.Skip(err)
	} else {
		f.Close()
	}
	before := latency(t)
	p, err := Keep()
	if err != nil {
		t.Fatal(err)
	}
	if got := latency(t); got != 0 {
		t.Errorf("wake-ups may take %d us; want 0", got)
	}
	p.Release()
	if got := latency(t); got != before {
		t.Errorf("wake-ups may take %d us afterwards, %d before", got, before)
	}
}

// latency returns how long wake-ups may take by all requests, in microseconds.
func latency(t *testing.T) int32 {
	t.Helper()
	f, err := os.Open(device)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b [4]byte
	if _, err := f.Read(b[:]); err != nil {
		t.Fatal(err)
	}
	return int32(binary.NativeEndian.Uint32(b[:]))
}

// Where it cannot be asked for, the error names the file and the reason.
func TestErrorNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "latency")
	p, err := keep(path)
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("%v: want an error that names %s", err, path)
	}
	p.Release()
}
