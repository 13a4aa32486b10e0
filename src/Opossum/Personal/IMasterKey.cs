namespace Opossum;

/// <summary>
/// The master key of a store's personal data: it encrypts the store's own key, which encrypts the key of each person. Implement it to keep the
/// master key in a key service; <see cref="MasterKey"/> is a key in a file.
/// </summary>
/// <remarks>
/// An opening calls <see cref="Unwrap"/> if the store has a key of its own. Otherwise the first append of personal data calls <see cref="Wrap"/>, while
/// it holds the locks of the keys and of the store, and each other process that has the store open then calls <see cref="Unwrap"/> at its first use of
/// the key. <see cref="FileSystemEventStore.MakeStoreKeyAsync"/> makes the key without an append. A process that has the key asks no more. The calls
/// may block; what they throw reaches the caller, of the opening or of that first use.
/// </remarks>
public interface IMasterKey
{
    /// <summary>Names the key, without telling it: the store records which key has encrypted its own key. It has no white space.</summary>
    string Id { get; }

    /// <summary>Encrypts a store's own key.</summary>
    /// <param name="key">The key: 64 bytes.</param>
    /// <returns>The encrypted key, at most 4,096 bytes, which <see cref="Unwrap"/> decrypts.</returns>
    byte[] Wrap(ReadOnlySpan<byte> key);

    /// <summary>Decrypts what <see cref="Wrap"/> returned.</summary>
    /// <param name="wrapped">The encrypted key.</param>
    /// <returns>The key: 64 bytes.</returns>
    /// <exception cref="System.Security.Cryptography.CryptographicException">It was changed, or another master key has encrypted it.</exception>
    byte[] Unwrap(ReadOnlySpan<byte> wrapped);
}
