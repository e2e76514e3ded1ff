package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/reports/render"
)

// build is what "inalab version" tells.
type build struct {
	SchemaVersion int    `json:"schema_version"`
	Version       string `json:"version"`
	Commit        string `json:"commit,omitempty"`
	Go            string `json:"go"`
	Platform      string `json:"platform"`
	Kernel        string `json:"kernel"`
	Vector        string `json:"vector"` // variant of the vector sums that runs here
}

func newVersion() *cobra.Command {
	var (
		asJSON bool
		format string
	)
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this build, and what it runs on",
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch b := thisBuild(); {
			case asJSON, format == "json":
				return render.WriteJSON(cmd.OutOrStdout(), b)
			case format == "text":
				return b.write(cmd.OutOrStdout())
			}
			return usage(fmt.Errorf("--format %q: allowed are text, json", format))
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	cmd.Flags().BoolVar(&asJSON, "json", false, "short for --format json")
	return cmd
}

func thisBuild() build {
	return build{
		SchemaVersion: render.SchemaVersion, Version: buildVersion(), Commit: commit(), Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH, Kernel: kernelRelease(), Vector: vec.Variant(),
	}
}

func (b build) write(w io.Writer) error {
	text := fmt.Sprintf("inalab %s\n", b.Version)
	if b.Commit != "" {
		text += fmt.Sprintf("commit %s\n", b.Commit)
	}
	_, err := fmt.Fprintf(w, "%sgo     %s %s\nkernel %s\nvector %s\n", text, b.Go, b.Platform, b.Kernel, b.Vector)
	return err
}

// buildVersion returns what the linker was told; without that, the version of the module that
// "go install" built.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if version != unnamed || !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return version
	}
	return info.Main.Version
}

// commit returns the commit that was built, where the build knows it.
func commit() string {
	if revision != "" {
		return revision
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return stamped(info.Settings)
}

// stamped returns the commit that the go command wrote into the binary, or "".
func stamped(settings []debug.BuildSetting) string {
	var commit, dirty string
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "-dirty"
		}
	}
	if commit == "" {
		return ""
	}
	return commit + dirty
}

func kernelRelease() string {
	text, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(text))
}
