package onehop

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// clangOfObject compiled the committed object: Debian 12's. Another version makes other code.
const clangOfObject = "clang-14"

// The committed object is that of the source. Whoever has no such clang is told why it is not tested.
func TestObjectIsOfSource(t *testing.T) {
	for _, tool := range []string{clangOfObject, "llvm-strip-14"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the object is not compiled again: %v (Debian 12: apt-get install clang-14 llvm-14)", err)
		}
	}
	dir := t.TempDir()
	src, err := filepath.Abs("bpf/rig.c")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "tool", "bpf2go", "-cc", clangOfObject, "-strip", "llvm-strip-14", "-cflags", flagsOfObject(t),
		"-target", "bpfel", "-go-package", "onehop", "-output-dir", dir, "-tags", "linux", "-type", "generator", "rig", src)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range []string{"rig_bpfel.o", "rig_bpfel.go"} {
		got, err1 := os.ReadFile(filepath.Join(dir, name))
		want, err2 := os.ReadFile(name)
		if err1 != nil || err2 != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what bpf/rig.c gives (%v, %v): run make generate, and commit it", name, err1, err2)
		}
	}
}

// flagsOfObject returns the compiler's flags in generate.go.
func flagsOfObject(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("generate.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(b), `-cflags "`)
	flags, _, end := strings.Cut(rest, `"`)
	if !ok || !end {
		t.Fatal("generate.go has no -cflags")
	}
	return flags
}
