namespace Opossum;

/// <summary>
/// The master key of a store's personal data: it encrypts the store's own key, which encrypts the key of each person. Implement it to keep the
/// master key in a key service; <see cref="MasterKey"/> is a key in a file.
/// </summary>
/// <remarks>
/// The store calls it once at each opening, never for an event; the calls may block. What it throws reaches the caller who opens the store.
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
