test:
	swift test
.PHONY: test
