package xdp

import (
	"embed"
	"io/fs"
)

//go:embed bpf
var source embed.FS

// Source returns the program's files in C; aggregator.c includes the others. [CompilerFlags] compile it.
func Source() fs.FS {
	dir, err := fs.Sub(source, "bpf")
	if err != nil {
		panic("xdp: " + err.Error()) // the name is valid
	}
	return dir
}

// CompilerFlags are those of clang that make an object of the program, besides input and output: the ones that
// the committed object was made with.
func CompilerFlags() []string {
	return []string{"-O2", "-Wall", "-Wextra", "-Werror", "-target", "bpfel", "-g", "-c"}
}
