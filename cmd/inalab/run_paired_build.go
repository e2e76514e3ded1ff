package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/reports/render"
)

// answerTime is what a build has to say its version in (assumed: a busy machine).
const answerTime = 20 * time.Second

// checkOld returns the path of another build of inalab, or says what is wrong with it.
func checkOld(ctx context.Context, name string) (string, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return "", fmt.Errorf("--paired: %w", err)
	}
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return "", fmt.Errorf("--paired %s: there is no such program: name the other build of inalab by its path", name)
	case !st.Mode().IsRegular() || st.Mode()&0o111 == 0:
		return "", fmt.Errorf("--paired %s: it is no executable file: name the other build of inalab", name)
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "version", "--format", "json")
	cmd.Env = withoutDefaults(os.Environ())
	text, err := cmd.Output()
	var b build
	if err == nil {
		err = json.Unmarshal(text, &b)
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("--paired %s: \"version --format json\" is not answered as inalab does: %w", name, err)
	case b.SchemaVersion != render.SchemaVersion:
		return "", fmt.Errorf("--paired %s: its schema_version is %d, and that of this build %d: their results cannot be held against each other", name, b.SchemaVersion, render.SchemaVersion)
	}
	return path, nil
}

// withoutDefaults returns an environment without defaults of flags: a run of a pair is told all by its command line.
func withoutDefaults(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(v string) bool { return strings.HasPrefix(v, "INALAB_RUN_") })
}

// runChild runs a build to its end and returns its exit code, with what it wrote to standard error. When the context
// ends it is interrupted, and stops in order.
func runChild(ctx context.Context, path string, args []string) (code int, log string, err error) {
	// A child that is to end with its parent ends with the thread that made it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env, cmd.Stderr, cmd.SysProcAttr = withoutDefaults(os.Environ()), &stderr, apart()
	cmd.Cancel = func() error { return cmd.Process.Signal(unix.SIGINT) }
	err = cmd.Run()
	ended := (*exec.ExitError)(nil)
	switch {
	case ctx.Err() != nil:
		return 0, "", context.Cause(ctx)
	case errors.As(err, &ended) && ended.Exited():
		return ended.ExitCode(), stderr.String(), nil
	case err != nil:
		return 0, "", fmt.Errorf("%s: %w:\n%s", path, err, strings.TrimSpace(stderr.String()))
	}
	return 0, stderr.String(), nil
}
