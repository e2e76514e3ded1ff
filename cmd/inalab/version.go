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
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this build, and what it runs on",
		RunE: func(cmd *cobra.Command, _ []string) error {
			b := thisBuild()
			if asJSON {
				return render.WriteJSON(cmd.OutOrStdout(), b)
			}
			return b.write(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON, for programs")
	return cmd
}

func thisBuild() build {
	return build{
		SchemaVersion: render.SchemaVersion, Version: version, Commit: commit(), Go: runtime.Version(),
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

// commit returns the commit that was built, where the build knows it.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	var revision, dirty string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "-dirty"
		}
	}
	if revision == "" {
		return ""
	}
	return revision + dirty
}

func kernelRelease() string {
	text, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(text))
}
