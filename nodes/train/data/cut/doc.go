// Command cut makes the embedded data files of nodes/train/data: the first
// images of each class of Fashion-MNIST, filtered and compressed as that
// package says.
//
//	apt-get install dataset-fashion-mnist
//	go generate ./nodes/train/data
//
// It reads the four IDX files that Debian's package dataset-fashion-mnist
// installs (the format is described at the end of Yann LeCun's MNIST page: two
// zero bytes, the element type, the number of dimensions, then the sizes and
// the elements, all big-endian). Two runs write the same bytes. The package it
// writes to embeds the files, so they must exist, if only empty, to compile it.
package main
