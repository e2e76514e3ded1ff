package profiles

// inceptionV3 returns Inception-V3 for 299x299 images (Szegedy et al.,
// "Rethinking the Inception Architecture for Computer Vision", CVPR 2016) as
// torchvision publishes it, with the auxiliary classifier, which training has.
// Every convolution is normalised and has no bias.
func inceptionV3() []Tensor {
	n := network{channels: 3, side: 299}
	n.square("conv1a", 32, 3, 2, 0)
	n.square("conv2a", 32, 3, 1, 0)
	n.square("conv2b", 64, 3, 1, 1)
	n.pool(3, 2, 0)
	n.square("conv3b", 80, 1, 1, 0)
	n.square("conv4a", 192, 3, 1, 0)
	n.pool(3, 2, 0)
	n.inceptionA("mixed5b", 32)
	n.inceptionA("mixed5c", 64)
	n.inceptionA("mixed5d", 64)
	n.inceptionB("mixed6a")
	n.inceptionC("mixed6b", 128)
	n.inceptionC("mixed6c", 160)
	n.inceptionC("mixed6d", 160)
	n.inceptionC("mixed6e", 192)
	n.auxiliary("aux")
	n.inceptionD("mixed7a")
	n.inceptionE("mixed7b")
	n.inceptionE("mixed7c")
	n.pool(n.side, 1, 0)
	n.linear("fc", classes)
	return n.tensors
}

// square appends a normalised convolution with a square kernel.
func (n *network) square(name string, out, kernel, stride, pad int) {
	n.convolve(conv{name: name + ".conv", out: out, height: kernel, stride: stride, pad: pad, norm: name + ".bn"})
}

// rectangle appends one of 1xk (wide) or kx1 that keeps the feature map.
func (n *network) rectangle(name string, out, height, width int) {
	n.convolve(conv{name: name + ".conv", out: out, height: height, width: width, pad: height / 2, norm: name + ".bn"})
}

// inceptionA is the module of Fig 5: 5x5 taken apart into 3x3.
func (n *network) inceptionA(at string, pooled int) {
	n.parallel(func() {
		n.square(at+".1x1", 64, 1, 1, 0)
	}, func() {
		n.square(at+".5x5_1", 48, 1, 1, 0)
		n.square(at+".5x5_2", 64, 5, 1, 2)
	}, func() {
		n.square(at+".3x3dbl_1", 64, 1, 1, 0)
		n.square(at+".3x3dbl_2", 96, 3, 1, 1)
		n.square(at+".3x3dbl_3", 96, 3, 1, 1)
	}, func() {
		n.square(at+".pool", pooled, 1, 1, 0)
	})
}

// inceptionB halves the feature map from 35 to 17.
func (n *network) inceptionB(at string) {
	n.parallel(func() {
		n.square(at+".3x3", 384, 3, 2, 0)
	}, func() {
		n.square(at+".3x3dbl_1", 64, 1, 1, 0)
		n.square(at+".3x3dbl_2", 96, 3, 1, 1)
		n.square(at+".3x3dbl_3", 96, 3, 2, 0)
	}, func() {
		n.pool(3, 2, 0)
	})
}

// inceptionC is the module of Fig 6: 7x7 taken apart into 1x7 and 7x1.
func (n *network) inceptionC(at string, narrow int) {
	n.parallel(func() {
		n.square(at+".1x1", 192, 1, 1, 0)
	}, func() {
		n.square(at+".7x7_1", narrow, 1, 1, 0)
		n.rectangle(at+".7x7_2", narrow, 1, 7)
		n.rectangle(at+".7x7_3", 192, 7, 1)
	}, func() {
		n.square(at+".7x7dbl_1", narrow, 1, 1, 0)
		n.rectangle(at+".7x7dbl_2", narrow, 7, 1)
		n.rectangle(at+".7x7dbl_3", narrow, 1, 7)
		n.rectangle(at+".7x7dbl_4", narrow, 7, 1)
		n.rectangle(at+".7x7dbl_5", 192, 1, 7)
	}, func() {
		n.square(at+".pool", 192, 1, 1, 0)
	})
}

// auxiliary appends the classifier that training hangs on the side and that
// returns nothing to the trunk.
func (n *network) auxiliary(at string) {
	channels, side := n.channels, n.side
	n.pool(5, 3, 0)
	n.square(at+".conv0", 128, 1, 1, 0)
	n.square(at+".conv1", 768, 5, 1, 0)
	n.pool(n.side, 1, 0)
	n.linear(at+".fc", classes)
	n.channels, n.side = channels, side
}

// inceptionD halves the feature map from 17 to 8.
func (n *network) inceptionD(at string) {
	n.parallel(func() {
		n.square(at+".3x3_1", 192, 1, 1, 0)
		n.square(at+".3x3_2", 320, 3, 2, 0)
	}, func() {
		n.square(at+".7x7x3_1", 192, 1, 1, 0)
		n.rectangle(at+".7x7x3_2", 192, 1, 7)
		n.rectangle(at+".7x7x3_3", 192, 7, 1)
		n.square(at+".7x7x3_4", 192, 3, 2, 0)
	}, func() {
		n.pool(3, 2, 0)
	})
}

// inceptionE is the module of Fig 7, whose branches fork once more.
func (n *network) inceptionE(at string) {
	fork := func(at string) {
		n.parallel(func() {
			n.rectangle(at+"a", 384, 1, 3)
		}, func() {
			n.rectangle(at+"b", 384, 3, 1)
		})
	}
	n.parallel(func() {
		n.square(at+".1x1", 320, 1, 1, 0)
	}, func() {
		n.square(at+".3x3_1", 384, 1, 1, 0)
		fork(at + ".3x3_2")
	}, func() {
		n.square(at+".3x3dbl_1", 448, 1, 1, 0)
		n.square(at+".3x3dbl_2", 384, 3, 1, 1)
		fork(at + ".3x3dbl_3")
	}, func() {
		n.square(at+".pool", 192, 1, 1, 0)
	})
}
