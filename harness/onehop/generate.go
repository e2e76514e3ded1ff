package onehop

// The object is for little-endian machines, and is committed: only who changes bpf/rig.c needs clang.
// `make generate` finds it; INALAB_CLANG and INALAB_LLVM_STRIP name the programs.
//
//go:generate go tool bpf2go -cc $INALAB_CLANG -strip $INALAB_LLVM_STRIP -cflags "-O2 -Wall -Wextra -Werror" -target bpfel -tags linux -type generator rig bpf/rig.c
