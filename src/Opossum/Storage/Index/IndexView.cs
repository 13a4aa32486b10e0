using Opossum.FileSystem;

namespace Opossum.Storage.Index;

/// <summary>The index in memory and the file of packed copies that belongs to it; null: there is none, and events are read from their own files.</summary>
internal sealed record IndexView(IndexContents Contents, IFile? Packed);
