// Package data is a cut of Fashion-MNIST inside the binary, so that every run trains on
// real images without a download.
//
// Fashion-MNIST (Xiao, Rasul, Vollgraf: "Fashion-MNIST: a Novel Image Dataset for
// Benchmarking Machine Learning Algorithms", arXiv 1708.07747) has grey pictures of
// clothes, 28 by 28 pixels, in ten classes. The cut has the first 600 training and the
// first 100 test images of each class, in the order of the original files.
//
//	IDX files --cut--> train.bin.gz, test.bin.gz --embed--> Load --> Set
//	(60000+10000)      (6000+1000, below 3 MB)
//
// A file is one gzip member. Its content, for n images, has 785*n bytes:
//
//	offset     bytes    what
//	0          n*784    the images, row by row from the top left pixel; each byte is the
//	                    difference (modulo 256) to its Paeth prediction (W3C PNG, §9.4);
//	                    pixels outside an image count as 0
//	n*784      n        the labels, 0..9
//
// The program in cut makes the files from Debian's package dataset-fashion-mnist. One
// release of Go always makes the same bytes, another may not. So tests pin the SHA-256
// of the decoded content as well as that of the files.
//
// The images are Copyright 2017 Zalando SE, under the Expat licence (file LICENSE).
//
// Left out: the other 63000 images, and augmentation.
package data

//go:generate go run ./cut -from /usr/share/datasets/fashion-mnist -to .
