//go:build !linux

package proc

import (
	"context"
	"errors"
	"os/exec"
	"syscall"
)

// spawner cannot start anything: processes of a lab run in its namespaces.
type spawner struct{}

func newSpawner() *spawner { return &spawner{} }

func (*spawner) start(context.Context, string, *exec.Cmd) error {
	return errors.New("processes of a lab need Linux and its network namespaces")
}

func (*spawner) close() {}

// attributes are those of a process that nobody starts.
func attributes(bool) *syscall.SysProcAttr { return nil }
