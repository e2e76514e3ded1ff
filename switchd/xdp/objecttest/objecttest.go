// Package objecttest holds committed objects of eBPF to their C sources.
package objecttest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// clangOfObjects compiled the committed objects of eBPF: Debian 12's. Another version makes other code.
const clangOfObjects = "clang-14"

// Compare fails the test where the files STEM_bpfel of a package are not what bpf2go makes of a C source, for the
// types that it exports. The flags of the compiler are those
// of generate.go. Whoever has no such clang is told why it is not tested.
func Compare(tb testing.TB, pkg, source, stem string, types ...string) {
	tb.Helper()
	for _, tool := range []string{clangOfObjects, "llvm-strip-14"} {
		if _, err := exec.LookPath(tool); err != nil {
			tb.Skipf("the object is not compiled again: %v (Debian 12: apt-get install clang-14 llvm-14)", err)
		}
	}
	src, err := filepath.Abs(source)
	if err != nil {
		tb.Fatal(err)
	}
	dir := tb.TempDir()
	args := []string{"tool", "bpf2go", "-cc", clangOfObjects, "-strip", "llvm-strip-14", "-cflags", flagsOfObjects(tb),
		"-target", "bpfel", "-go-package", pkg, "-output-dir", dir, "-tags", "linux"}
	for _, t := range types {
		args = append(args, "-type", t)
	}
	if out, err := exec.Command("go", append(args, stem, src)...).CombinedOutput(); err != nil {
		tb.Fatalf("%v: %s", err, out)
	}
	for _, name := range []string{stem + "_bpfel.o", stem + "_bpfel.go"} {
		got, err1 := os.ReadFile(filepath.Join(dir, name))
		want, err2 := os.ReadFile(name)
		if err1 != nil || err2 != nil || !bytes.Equal(got, want) {
			tb.Errorf("%s is not what %s gives (%v, %v): run make generate, and commit it", name, source, err1, err2)
		}
	}
}

// flagsOfObjects returns the compiler's flags in generate.go.
func flagsOfObjects(tb testing.TB) string {
	tb.Helper()
	b, err := os.ReadFile("generate.go")
	if err != nil {
		tb.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(b), `-cflags "`)
	flags, _, end := strings.Cut(rest, `"`)
	if !ok || !end {
		tb.Fatal("generate.go has no -cflags")
	}
	return flags
}
