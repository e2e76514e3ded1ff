// Command cut makes the embedded data files of nodes/train/data from Fashion-MNIST.
//
//	apt-get install dataset-fashion-mnist
//	go generate ./nodes/train/data
//
// It reads the four IDX files of Debian's package. Yann LeCun's MNIST page describes the
// format: two zero bytes, the element type, the number of dimensions, the sizes, the
// elements, all big-endian. Package data embeds the output, so its files must exist, if
// only empty, to compile this program.
package main
