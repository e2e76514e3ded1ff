// Package data is a cut of Fashion-MNIST that travels inside the binary, so
// that every run trains on real images without a download.
//
// Fashion-MNIST (Xiao, Rasul, Vollgraf: "Fashion-MNIST: a Novel Image Dataset
// for Benchmarking Machine Learning Algorithms", arXiv 1708.07747) holds grey
// pictures of clothes, 28 by 28 pixels, in ten classes. The cut keeps the first
// 600 training and the first 100 test images of each class, in the order of
// the original files: 6000 and 1000 images, exactly balanced.
//
//	IDX files --cut--> train.bin.gz, test.bin.gz --embed--> Load --> Set
//	(60000+10000)      (6000+1000, below 3 MB)
//
// A file is one gzip member. Its content, for n images:
//
//	offset     bytes    what
//	0          n*784    the images, row by row from the top left pixel, each
//	                    byte the difference (modulo 256) to its Paeth
//	                    prediction (W3C PNG, section 9.4); pixels outside the
//	                    image count as 0, and no image predicts another
//	n*784      n        the labels, 0..9
//
// n is not written: it is the length divided by 785. The filter is there for
// size alone; without it gzip needs 3.05 MB.
//
// The files are made by the program in cut from Debian's package
// dataset-fashion-mnist, and are the same bytes each time one release of Go
// makes them. Another release may compress otherwise; the tests therefore pin
// the SHA-256 of the decoded content beside that of the files.
//
// The images are Copyright 2017 Zalando SE, under the Expat licence; its text
// is in the file LICENSE.
//
// What is left out: the other 63000 images, and any augmentation.
package data

//go:generate go run ./cut -from /usr/share/datasets/fashion-mnist -to .
