using Opossum.FileSystem;

namespace Opossum.Storage.Index;

/// <summary>The index in memory and its file of packed copies; without one (null) events are read from their own files.</summary>
internal sealed record IndexView(IndexContents Contents, IFile? Packed);
