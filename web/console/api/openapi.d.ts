// Made from docs/openapi.json by openapi-typescript (npm run docs).

export interface paths {
    "/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in
         * @description Access: anyone. Body: at most 16384 bytes. Not for pages of other origins.
         */
        post: operations["logIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/public/captcha": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A proof of work for POST /login; its solution goes into the field captcha
         * @description Access: anyone.
         */
        get: operations["getCaptcha"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the session, the bearer token with its pair, and the refresh token that are sent
         * @description Access: anyone. Body: at most 16384 bytes. A body that is longer, or that cannot be read, counts as none.
         */
        post: operations["logOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/public/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set a new password by the link or the code; all logins of the account end
         * @description Access: anyone. Body: at most 16384 bytes. Not for pages of other origins.
         */
        put: operations["finishReset"];
        /**
         * Forgot the password: a link and a code by mail. The answer shows no account
         * @description Access: anyone. Body: at most 16384 bytes. Not for pages of other origins.
         */
        post: operations["beginReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/public/sign-in-code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Log in by the link or the code of a mail, which count once
         * @description Access: anyone. Body: at most 16384 bytes. Not for pages of other origins.
         */
        put: operations["finishEmailLogin"];
        /**
         * Sign in by mail: a link and a code. The answer shows no account
         * @description Access: anyone. Body: at most 16384 bytes. Not for pages of other origins.
         */
        post: operations["beginEmailLogin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/public/sign-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Make the account, by the link or the code; each code has five tries
         * @description Access: anyone. Body: at most 16384 bytes. Not for pages of other origins.
         */
        put: operations["finishSignUp"];
        /**
         * Ask for an account: a link and a code by mail. The answer shows no account
         * @description Access: anyone. Body: at most 16384 bytes. Not for pages of other origins.
         */
        post: operations["beginSignUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/public/invitation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make the account of an invitation, with the roles that it names
         * @description Access: anyone. Body: at most 16384 bytes. Not for pages of other origins.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One's own live sessions
         * @description Access: authenticated.
         */
        get: operations["listOwnSessions"];
        put?: never;
        post?: never;
        /**
         * Log out everywhere else: all other sessions and all tokens end
         * @description Access: authenticated. Wants a recent login.
         */
        delete: operations["endOtherSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one of one's own sessions
         * @description Access: authenticated. Wants a recent login for some of what it can do.
         */
        delete: operations["endOwnSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/user/account/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One's own live sessions
         * @description Access: USER and authenticated.
         */
        get: operations["listOwnSessionsAsUser"];
        put?: never;
        post?: never;
        /**
         * Log out everywhere else: all other sessions and all tokens end
         * @description Access: USER and authenticated. Wants a recent login.
         */
        delete: operations["endOtherSessionsAsUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/user/account/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one of one's own sessions
         * @description Access: USER and authenticated. Wants a recent login for some of what it can do.
         */
        delete: operations["endOwnSessionAsUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The session and its CSRF token, for a page that was loaded anew
         * @description Access: authenticated.
         */
        get: operations["getSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/protected": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A greeting for the session
         * @description Access: authenticated.
         */
        get: operations["getGreeting"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A state-changing session operation
         * @description Access: authenticated. Body: at most 1048576 bytes.
         */
        post: operations["transfer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The key set: what signs from when, what still verifies, and until when
         * @description Access: ADMIN.
         */
        get: operations["listKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/keys/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the key of access tokens, or of refresh tokens; tokens of the old stay valid
         * @description Access: ADMIN. Body: at most 16384 bytes. Wants a recent login.
         */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/keys/{kid}/retire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a key that signs no more at once: its tokens are refused from now on
         * @description Access: ADMIN. Wants a recent login.
         */
        post: operations["retireKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The clients of CLIENTS_FILE, and the mistakes for which a changed file is not used
         * @description Access: ADMIN.
         */
        get: operations["listClients"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A new access token, with the present username and roles
         * @description Access: anyone. Body: at most 16384 bytes.
         */
        post: operations["refreshToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who the token speaks for
         * @description Access: authenticated.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The public keys of RS256 tokens (RFC 7517)
         * @description Access: anyone.
         */
        get: operations["getJwks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/tokens/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End one token: by its text, or by its jti and exp
         * @description Access: ADMIN. Body: at most 16384 bytes.
         */
        post: operations["revokeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/introspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Whether an access token is active now, and what it says (RFC 7662)
         * @description Access: client that may introspect. Body: at most 16384 bytes.
         */
        post: operations["introspectToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End an access token or a refresh token, and its pair (RFC 7009)
         * @description Access: client that may revoke. Body: at most 16384 bytes.
         */
        post: operations["revokeTokenAsClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/authz/forward": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Asks, for a proxy, whether a request to an application may pass; by any method
         * @description Access: anyone.
         */
        get: operations["authorizeForwardedRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One's own account and user
         * @description Access: authenticated.
         */
        get: operations["getOwnAccount"];
        put?: never;
        post?: never;
        /**
         * Delete the account and its user, and erase what names the person; a link by mail takes it back
         * @description Access: authenticated. Body: at most 16384 bytes. Wants a recent login.
         */
        delete: operations["deleteOwnAccount"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the password; all other sessions and all tokens end
         * @description Access: authenticated. Body: at most 16384 bytes. Wants a recent login.
         */
        put: operations["changeOwnPassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/user/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One's own account and user
         * @description Access: USER and authenticated.
         */
        get: operations["getOwnAccountAsUser"];
        put?: never;
        post?: never;
        /**
         * Delete the account and its user, and erase what names the person; a link by mail takes it back
         * @description Access: USER and authenticated. Body: at most 16384 bytes. Wants a recent login.
         */
        delete: operations["deleteOwnAccountAsUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/user/account/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the password; all other sessions and all tokens end
         * @description Access: USER and authenticated. Body: at most 16384 bytes. Wants a recent login.
         */
        put: operations["changeOwnPasswordAsUser"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/notices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happened to the own account in the last 30 days, the newest first
         * @description Access: authenticated.
         */
        get: operations["listOwnNotices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/user/account/notices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happened to the own account in the last 30 days, the newest first
         * @description Access: USER and authenticated.
         */
        get: operations["listOwnNoticesAsUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One's own verified mail address, and the one that waits for its proof
         * @description Access: authenticated.
         */
        get: operations["getOwnEmail"];
        /**
         * Mail a link to an address, which counts once it is confirmed there
         * @description Access: authenticated. Body: at most 16384 bytes. Wants a recent login.
         */
        put: operations["changeOwnEmail"];
        post?: never;
        /**
         * Give up the address that waits for its proof; the verified one stays
         * @description Access: authenticated. Wants a recent login.
         */
        delete: operations["cancelOwnEmail"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/language": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Choose the language of pages and mail
         * @description Access: authenticated. Body: at most 16384 bytes.
         */
        put: operations["changeOwnLanguage"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/user/account/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One's own verified mail address, and the one that waits for its proof
         * @description Access: USER and authenticated.
         */
        get: operations["getOwnEmailAsUser"];
        /**
         * Mail a link to an address, which counts once it is confirmed there
         * @description Access: USER and authenticated. Body: at most 16384 bytes. Wants a recent login.
         */
        put: operations["changeOwnEmailAsUser"];
        post?: never;
        /**
         * Give up the address that waits for its proof; the verified one stays
         * @description Access: USER and authenticated. Wants a recent login.
         */
        delete: operations["cancelOwnEmailAsUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/user/account/language": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Choose the language of pages and mail
         * @description Access: USER and authenticated. Body: at most 16384 bytes.
         */
        put: operations["changeOwnLanguageAsUser"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/public/verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm a mail address of an account, or take its change back, by a mailed proof
         * @description Access: anyone. Body: at most 16384 bytes.
         */
        post: operations["verifyEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Everything that names the account: profile, sessions, posts, own acts
         * @description Access: authenticated. Wants a recent login.
         */
        get: operations["exportOwnData"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/user/account/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Everything that names the account: profile, sessions, posts, own acts
         * @description Access: USER and authenticated. Wants a recent login.
         */
        get: operations["exportOwnDataAsUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Confirm it with its first code: from now on it is asked for
         * @description Access: authenticated. Body: at most 16384 bytes. Wants a recent login. An enrolment token opens it as well.
         */
        put: operations["confirmTotp"];
        /**
         * Begin to enrol a second factor, or to replace it, with proofs of the person
         * @description Access: authenticated. Body: at most 16384 bytes. Wants a recent login. An enrolment token opens it as well.
         */
        post: operations["beginTotp"];
        /**
         * Remove the second factor, with proofs of the person
         * @description Access: authenticated. Body: at most 16384 bytes. Wants a recent login.
         */
        delete: operations["removeTotp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ten new recovery codes, with proofs of the person; the old ones end
         * @description Access: authenticated. Body: at most 16384 bytes. Wants a recent login.
         */
        post: operations["renewRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/user/account/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Confirm it with its first code: from now on it is asked for
         * @description Access: USER and authenticated. Body: at most 16384 bytes. Wants a recent login. An enrolment token opens it as well.
         */
        put: operations["confirmTotpAsUser"];
        /**
         * Begin to enrol a second factor, or to replace it, with proofs of the person
         * @description Access: USER and authenticated. Body: at most 16384 bytes. Wants a recent login. An enrolment token opens it as well.
         */
        post: operations["beginTotpAsUser"];
        /**
         * Remove the second factor, with proofs of the person
         * @description Access: USER and authenticated. Body: at most 16384 bytes. Wants a recent login.
         */
        delete: operations["removeTotpAsUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/user/account/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ten new recovery codes, with proofs of the person; the old ones end
         * @description Access: USER and authenticated. Body: at most 16384 bytes. Wants a recent login.
         */
        post: operations["renewRecoveryCodesAsUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Identities that sign in here
         * @description Access: authenticated.
         */
        get: operations["listOwnIdentities"];
        put?: never;
        /**
         * Begin to link an identity: the address to open
         * @description Access: authenticated. Body: at most 16384 bytes. Wants a recent login.
         */
        post: operations["linkIdentity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/identities/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Unlink an identity: it signs in no more
         * @description Access: authenticated. Body: at most 16384 bytes. Wants a recent login.
         */
        delete: operations["unlinkIdentity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/user/account/identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Identities that sign in here
         * @description Access: USER and authenticated.
         */
        get: operations["listOwnIdentitiesAsUser"];
        put?: never;
        /**
         * Begin to link an identity: the address to open
         * @description Access: USER and authenticated. Body: at most 16384 bytes. Wants a recent login.
         */
        post: operations["linkIdentityAsUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/user/account/identities/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Unlink an identity: it signs in no more
         * @description Access: USER and authenticated. Body: at most 16384 bytes. Wants a recent login.
         */
        delete: operations["unlinkIdentityAsUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign in: 303 to the identity provider
         * @description Access: anyone. HEAD is 404: a GET begins something or uses something up.
         */
        get: operations["beginSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Back from the identity provider: a session, and a page that goes on
         * @description Access: anyone. HEAD is 404: a GET begins something or uses something up.
         */
        get: operations["finishSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/{provider}/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign in: 303 to the identity provider
         * @description Access: anyone. HEAD is 404: a GET begins something or uses something up.
         */
        get: operations["beginSignInWithProvider"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/{provider}/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Back from the identity provider: a session, and a page that goes on
         * @description Access: anyone. HEAD is 404: a GET begins something or uses something up.
         */
        get: operations["finishSignInWithProvider"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Asks for the second factor of a sign-in
         * @description Access: anyone.
         */
        get: operations["getSecondFactorPage"];
        put?: never;
        /**
         * The second factor of a sign-in: a session; by form, a page that goes on
         * @description Access: anyone. Body: at most 16384 bytes. Not for pages of other origins.
         */
        post: operations["confirmSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Page that asks before the log-out here and at the identity provider
         * @description Access: anyone.
         */
        get: operations["beginSignOut"];
        put?: never;
        /**
         * Log out here, then continue to the log-out of the identity provider
         * @description Access: anyone. Body: at most 16384 bytes. Not for pages of other origins.
         */
        post: operations["confirmSignOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/{provider}/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Page that asks before the log-out here and at the identity provider
         * @description Access: anyone.
         */
        get: operations["beginSignOutWithProvider"];
        put?: never;
        /**
         * Log out here, then continue to the log-out of the identity provider
         * @description Access: anyone. Body: at most 16384 bytes. Not for pages of other origins.
         */
        post: operations["confirmSignOutWithProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All users, or one page of them
         * @description Access: USER or ADMIN.
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Create a user
         * @description Access: ADMIN. Body: at most 1048576 bytes.
         */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One user
         * @description Access: USER or ADMIN.
         */
        get: operations["getUser"];
        /**
         * Change name, e-mail or both; tokens keep the verified address of the account
         * @description Access: owner or ADMIN. Body: at most 1048576 bytes.
         */
        put: operations["updateUser"];
        post?: never;
        /**
         * Delete a user with its account and sessions
         * @description Access: ADMIN.
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All users, or one page of them
         * @description Access: USER or ADMIN.
         */
        get: operations["listUsersV1"];
        put?: never;
        /**
         * Create a user
         * @description Access: ADMIN. Body: at most 1048576 bytes.
         */
        post: operations["createUserV1"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One user
         * @description Access: USER or ADMIN.
         */
        get: operations["getUserV1"];
        /**
         * Change name, e-mail or both; tokens keep the verified address of the account
         * @description Access: owner or ADMIN. Body: at most 1048576 bytes.
         */
        put: operations["updateUserV1"];
        post?: never;
        /**
         * Delete a user with its account and sessions
         * @description Access: ADMIN.
         */
        delete: operations["deleteUserV1"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One page of users, searched and sorted
         * @description Access: USER or ADMIN.
         */
        get: operations["listUsersV2"];
        put?: never;
        /**
         * Create a user
         * @description Access: ADMIN. Body: at most 1048576 bytes.
         */
        post: operations["createUserV2"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One user
         * @description Access: USER or ADMIN.
         */
        get: operations["getUserV2"];
        /**
         * Change name, e-mail or both; tokens keep the verified address of the account
         * @description Access: owner or ADMIN. Body: at most 1048576 bytes.
         */
        put: operations["updateUserV2"];
        post?: never;
        /**
         * Delete a user with its account and sessions
         * @description Access: ADMIN.
         */
        delete: operations["deleteUserV2"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All posts, or one page of them
         * @description Access: USER or EDITOR or ADMIN.
         */
        get: operations["listPosts"];
        put?: never;
        /**
         * Create a post
         * @description Access: EDITOR or ADMIN. Body: at most 1048576 bytes.
         */
        post: operations["createPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/editor/posts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All posts, or one page of them
         * @description Access: EDITOR or ADMIN.
         */
        get: operations["listPostsAsEditor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One post
         * @description Access: USER or EDITOR or ADMIN.
         */
        get: operations["getPost"];
        /**
         * Change title, body or both; a locked post is for its author alone
         * @description Access: owner or (ADMIN and unlocked). Body: at most 1048576 bytes.
         */
        put: operations["updatePost"];
        post?: never;
        /**
         * Delete a post
         * @description Access: ADMIN.
         */
        delete: operations["deletePost"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/posts/{id}/lock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Lock a post: from then on its author alone can change it
         * @description Access: ADMIN.
         */
        put: operations["lockPost"];
        post?: never;
        /**
         * Unlock a post
         * @description Access: ADMIN.
         */
        delete: operations["unlockPost"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One page of accounts: by number, or by filters, an order and a cursor
         * @description Access: ADMIN.
         */
        get: operations["listAccounts"];
        put?: never;
        /**
         * Create an account, for a user that exists or with a new one
         * @description Access: ADMIN. Body: at most 16384 bytes. Wants a recent login for some of what it can do.
         */
        post: operations["createAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/accounts/{username}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One account
         * @description Access: ADMIN.
         */
        get: operations["getAccount"];
        /**
         * Change roles, flags or password
         * @description Access: ADMIN. Body: at most 16384 bytes. Wants a recent login for some of what it can do.
         */
        put: operations["updateAccount"];
        post?: never;
        /**
         * Delete an account and keep its user
         * @description Access: ADMIN. Wants a recent login for some of what it can do.
         */
        delete: operations["deleteAccount"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/accounts/{username}/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset the password of an account; all its sessions and tokens end
         * @description Access: ADMIN. Wants a recent login.
         */
        post: operations["resetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/accounts/{username}/second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take the second factor of an account away
         * @description Access: ADMIN. Wants a recent login.
         */
        delete: operations["removeSecondFactor"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/accounts/{username}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The live sessions of an account
         * @description Access: ADMIN.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /**
         * End all sessions and all tokens of an account; the session that asks goes on
         * @description Access: ADMIN.
         */
        delete: operations["endSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/accounts/{username}/identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Identities of providers that sign in to an account
         * @description Access: ADMIN.
         */
        get: operations["listIdentities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/accounts/{username}/identities/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Unlink an identity of an account: it signs in no more; sessions and tokens go on
         * @description Access: ADMIN. Wants a recent login.
         */
        delete: operations["removeIdentity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/accounts/{username}/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The verified mail address of an account, and whether mail to it is refused
         * @description Access: ADMIN.
         */
        get: operations["getAccountEmail"];
        put?: never;
        post?: never;
        /**
         * Remove the verified mail address of an account; links that were mailed end
         * @description Access: ADMIN. Wants a recent login.
         */
        delete: operations["removeAccountEmail"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/accounts/{username}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail the owner of an account a link that sets a new password
         * @description Access: ADMIN. Body: at most 16384 bytes. Wants a recent login.
         */
        post: operations["beginAccountReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One page of invitations, the newest first
         * @description Access: ADMIN.
         */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Invite a person by mail; it takes the place of a pending one to the address
         * @description Access: ADMIN. Body: at most 16384 bytes. Wants a recent login for some of what it can do.
         */
        post: operations["createInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/invitations/{id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail an invitation again; an expired one begins anew
         * @description Access: ADMIN. Wants a recent login for some of what it can do.
         */
        post: operations["resendInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/invitations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an invitation: its link counts no more
         * @description Access: ADMIN.
         */
        delete: operations["revokeInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/accounts/{username}/details": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All that belongs to an account: what signs in, what is live, what refuses a login
         * @description Access: ADMIN.
         */
        get: operations["getAccountDetails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/mail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One page of the mail of the last 30 days, the newest first
         * @description Access: ADMIN.
         */
        get: operations["listMail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/mail/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a mail that says that mail arrives; its state shows what became of it
         * @description Access: ADMIN. Body: at most 16384 bytes.
         */
        post: operations["sendTestMail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/mail/{id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a mail at once that waits or was refused
         * @description Access: ADMIN.
         */
        post: operations["resendMail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/mail/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Withdraw a mail that was not sent yet
         * @description Access: ADMIN.
         */
        delete: operations["cancelMail"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/mail/previews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The messages that the service can send, and the cases in which they differ
         * @description Access: ADMIN.
         */
        get: operations["listMailPreviews"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/mail/previews/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A message with made-up facts; its link and its code open nothing
         * @description Access: ADMIN.
         */
        get: operations["previewMail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/throttle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Accounts with failed logins in a row, and the tries that limits count now
         * @description Access: ADMIN.
         */
        get: operations["listLoginLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/throttle/{username}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Forget the failed tries of a username and its automatic lock, or of a client
         * @description Access: ADMIN.
         */
        delete: operations["clearLoginLimits"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/throttle/addresses/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Forget the failed tries of an address, or of the /64 network of an IPv6 address
         * @description Access: ADMIN.
         */
        delete: operations["clearAddressLimits"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One page of the audit log, the newest record first
         * @description Access: ADMIN.
         */
        get: operations["listAuditRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/audit/types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The types of events that the audit log has, by category
         * @description Access: ADMIN.
         */
        get: operations["listAuditTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All records that match, the oldest first, as lines of JSON
         * @description Access: ADMIN.
         */
        get: operations["exportAuditRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/audit/verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The last checkpoint of the audit log, and what the last verification found
         * @description Access: ADMIN.
         */
        get: operations["getAuditVerification"];
        put?: never;
        /**
         * Have the whole audit log verified; answers the verification under way, if one is
         * @description Access: ADMIN.
         */
        post: operations["verifyAudit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One page of webhooks, the oldest first
         * @description Access: ADMIN.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Have events sent to an address; the secret is in this answer alone
         * @description Access: ADMIN. Body: at most 16384 bytes. Wants a recent login.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A webhook, and how it answers
         * @description Access: ADMIN.
         */
        get: operations["getWebhook"];
        /**
         * Change some fields of a webhook, enable or disable it
         * @description Access: ADMIN. Body: at most 16384 bytes. Wants a recent login.
         */
        put: operations["updateWebhook"];
        post?: never;
        /**
         * Remove a webhook with its deliveries, also those that wait
         * @description Access: ADMIN. Wants a recent login.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks/{id}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook a new secret; that before signs as well for 24 hours
         * @description Access: ADMIN. Wants a recent login.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message of the type webhook_test; its delivery shows what became of it
         * @description Access: ADMIN.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One page of the deliveries of all webhooks, the newest first
         * @description Access: ADMIN.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One page of the deliveries of a webhook, the newest first
         * @description Access: ADMIN.
         */
        get: operations["listDeliveriesOfWebhook"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A delivery of a webhook, and what the receiver said when it refused it
         * @description Access: ADMIN.
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks/deliveries/{id}/repeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery at once that waits or has ended, with the same webhook-id
         * @description Access: ADMIN.
         */
        post: operations["repeatWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks/{id}/repeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send deliveries of a webhook again that have ended, in their order
         * @description Access: ADMIN. Body: at most 16384 bytes.
         */
        post: operations["repeatWebhookDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/import/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import accounts, all of them or none
         * @description Access: ADMIN. Wants a recent login for some of what it can do.
         */
        post: operations["importAccounts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The imports under way, on all nodes, and how many lines each has read
         * @description Access: ADMIN.
         */
        get: operations["listImports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/export/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every account, without its password hash
         * @description Access: ADMIN.
         */
        get: operations["exportAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/explain/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Why a request was refused, by its X-Request-Id; kept for 24 hours
         * @description Access: ADMIN.
         */
        get: operations["explainRefusal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Whether a token, a login, or an account at a route would be refused, and why
         * @description Access: ADMIN. Body: at most 16384 bytes.
         */
        post: operations["explain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The process runs
         * @description Access: anyone.
         */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The service can serve
         * @description Access: anyone.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/public/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What answers here
         * @description Access: anyone.
         */
        get: operations["getStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What this service is; a page for a browser
         * @description Access: anyone.
         */
        get: operations["getHome"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How much there is of everything
         * @description Access: ADMIN.
         */
        get: operations["getStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/statistics/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happened when: counts by minute or by hour
         * @description Access: ADMIN.
         */
        get: operations["getStatisticsSeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The metrics, in the text form of Prometheus or of OpenMetrics
         * @description Access: ADMIN or client that may metrics.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document
         * @description Access: anyone.
         */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document as a page
         * @description Access: anyone.
         */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/backups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One page of the backups that the service made by itself, the newest first
         * @description Access: ADMIN.
         */
        get: operations["listBackups"];
        put?: never;
        /**
         * Have a backup made now; answers the one that waits or is being made, if one is
         * @description Access: ADMIN. Wants a recent login.
         */
        post: operations["makeBackup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is wrong with this deployment, from inside: settings, files, database
         * @description Access: ADMIN.
         */
        get: operations["getDoctor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What an operator looks at first: does it work, what waits, what is unusual
         * @description Access: ADMIN.
         */
        get: operations["getAdminStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every setting as it is in force, and where it comes from; no secret is shown
         * @description Access: ADMIN.
         */
        get: operations["listSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @example {
         *       "token": "eyJhbGciOiJSUzI1NiIsImtpZCI6IjFmIn0.eyJzdWIiOiI3In0.c2lnbmF0dXJl",
         *       "token_type": "Bearer",
         *       "expires_in": 3600
         *     }
         */
        AccessToken: {
            token: string;
            /** @constant */
            token_type: "Bearer";
            /** @description Seconds */
            expires_in: number;
        };
        /**
         * @example {
         *       "username": "ann",
         *       "user_id": 7,
         *       "roles": [
         *         "USER"
         *       ],
         *       "locked": false,
         *       "active": true,
         *       "second_factor": false,
         *       "deletion_at": null,
         *       "created_at": "2026-03-02T09:00:00.000Z"
         *     }
         */
        Account: {
            username: string;
            user_id: number;
            roles: components["schemas"]["Role"][];
            locked: boolean;
            active: boolean;
            second_factor: boolean;
            /**
             * Format: date-time
             * @description When the account is erased, because its owner has deleted it; until then it cannot log in. Null otherwise
             */
            deletion_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        /**
         * @example {
         *       "roles": [
         *         "USER",
         *         "EDITOR"
         *       ]
         *     }
         */
        AccountChanges: {
            /** @description USER, EDITOR, ADMIN; a leading ROLE_ is removed */
            roles?: string[];
            locked?: boolean;
            active?: boolean;
            password?: string;
            must_change?: boolean;
        };
        /**
         * @example {
         *       "message": "Account deletion requested",
         *       "deletion_at": "2026-03-09T09:30:00.000Z"
         *     }
         */
        AccountDeleted: {
            message: string;
            /**
             * Format: date-time
             * @description When the account is erased unless its owner takes the deletion back; absent: it was erased
             */
            deletion_at?: string;
        };
        /**
         * @example {
         *       "username": "ann",
         *       "current_password": "gravel-otter-lantern-41"
         *     }
         */
        AccountDeletion: {
            /** @description The username of the account, in any spelling */
            username: string;
            /** @description If the account has a password, unless Basic or an enrolment token proves it */
            current_password?: string;
            /** @description If the account has a second factor */
            totp?: string;
            /** @description In place of `totp`; each can be used once */
            recovery_code?: string;
            /** @description The solution of a challenge: base64 of JSON, as the widget of ALTCHA sends it */
            captcha?: string;
        };
        /**
         * @example {
         *       "account": {
         *         "username": "ann",
         *         "user_id": 7,
         *         "roles": [
         *           "USER"
         *         ],
         *         "locked": false,
         *         "active": true,
         *         "second_factor": false,
         *         "deletion_at": null,
         *         "created_at": "2026-03-02T09:00:00.000Z"
         *       },
         *       "user": {
         *         "id": 7,
         *         "name": "Ann Example",
         *         "email": "ann@example.org"
         *       },
         *       "last_login_at": "2026-03-02T09:40:00.000Z",
         *       "failed_logins": 0,
         *       "locked_until": null,
         *       "last_administrator": false,
         *       "imported": false,
         *       "language": "en",
         *       "password": {
         *         "is_set": true,
         *         "changed_at": "2026-03-02T09:00:00.000Z",
         *         "must_change": false
         *       },
         *       "second_factor": null,
         *       "email": {
         *         "email": "ann@example.org",
         *         "verified_at": "2026-03-02T09:00:00.000Z",
         *         "pending": null,
         *         "undeliverable_at": null,
         *         "undeliverable_reason": null
         *       },
         *       "identities": [],
         *       "sessions": 1,
         *       "devices": 1,
         *       "tokens_issued": 0,
         *       "limits": [],
         *       "invitations": [],
         *       "mails": [],
         *       "posts": 3
         *     }
         */
        AccountDetails: {
            account: components["schemas"]["Account"];
            user: components["schemas"]["User"];
            /**
             * Format: date-time
             * @description Null before the first login, or the first one since version 0.9.0
             */
            last_login_at: string | null;
            /** @description In a row, over all addresses */
            failed_logins: number;
            /**
             * Format: date-time
             * @description The end of a lockout; null if there is none now
             */
            locked_until: string | null;
            /** @description No other account could administer the service: it is neither deleted, locked nor demoted */
            last_administrator: boolean;
            /** @description Whether an import has made it; a restored database does not know */
            imported: boolean;
            /** @description Of pages and mail; null: that of the browser */
            language: string | null;
            password: {
                /** @description Without one its owner signs in by other ways */
                is_set: boolean;
                /**
                 * Format: date-time
                 * @description Null if it was imported, or if that is not known
                 */
                changed_at: string | null;
                /** @description The next login must set a password */
                must_change: boolean;
            };
            second_factor: {
                /**
                 * Format: date-time
                 * @description Null if that was before version 0.9.0
                 */
                confirmed_at: string | null;
                recovery_codes_left: number;
            } | null;
            email: components["schemas"]["AccountEmail"];
            identities: components["schemas"]["Identity"][];
            /** @description How many are live; at most 1,000 */
            sessions: number;
            /** @description How many devices have signed in, that are known still */
            devices: number;
            /** @description How many access tokens were issued within their lifetime, by the audit log; at most 100, and some may have ended. Tokens are not stored */
            tokens_issued: number;
            /** @description The limits that count failed tries of it now, the last used first; at most 100 */
            limits: components["schemas"]["LoginLimit"][];
            /** @description The invitation that it was made of */
            invitations: components["schemas"]["Invitation"][];
            /** @description The newest 10 of the last 30 days */
            mails: components["schemas"]["Mail"][];
            /** @description Up to 1001, which stands for any more */
            posts: number;
        };
        /**
         * @example {
         *       "email": "ann@example.org",
         *       "verified_at": "2026-03-02T09:00:00.000Z",
         *       "pending": null,
         *       "undeliverable_at": null,
         *       "undeliverable_reason": null
         *     }
         */
        AccountEmail: {
            /** @description The verified address; null: there is none */
            email: string | null;
            /** Format: date-time */
            verified_at: string | null;
            pending: components["schemas"]["PendingEmail"] | null;
            /**
             * Format: date-time
             * @description When mail to it was refused for good
             */
            undeliverable_at: string | null;
            /** @description The words of the mail server */
            undeliverable_reason: string | null;
        };
        /**
         * @example {
         *       "username": "bea",
         *       "password_hash": "$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW",
         *       "roles": [
         *         "USER"
         *       ],
         *       "created_at": "2024-05-06T07:08:09Z",
         *       "name": "Bea Example",
         *       "email": "bea@example.org"
         *     }
         */
        AccountImport: {
            username: string;
            /** @description bcrypt ($2a, $2b, $2y), or a PHC string of Argon2 or PBKDF2; or else password, or neither: the account has no password then */
            password_hash?: string;
            password?: string;
            /** @description USER, EDITOR, ADMIN; a leading ROLE_ is removed */
            roles: string[];
            locked?: boolean;
            active?: boolean;
            must_change?: boolean;
            /** @description ISO 8601 with a time zone; absent: now */
            created_at?: string;
            /** @description A user that exists, where name and email are absent */
            user_id?: number;
            name?: string;
            /** Format: email */
            email?: string;
        };
        /**
         * @example {
         *       "page": 1,
         *       "limit": 10,
         *       "total": 1,
         *       "data": [
         *         {
         *           "username": "ann",
         *           "user_id": 7,
         *           "roles": [
         *             "USER"
         *           ],
         *           "locked": false,
         *           "active": true,
         *           "second_factor": false,
         *           "deletion_at": null,
         *           "created_at": "2026-03-02T09:00:00.000Z"
         *         }
         *       ]
         *     }
         */
        AccountPage: {
            page: number;
            limit: number;
            /** @description Count of all accounts */
            total: number;
            data: components["schemas"]["Account"][];
        };
        /**
         * @example {
         *       "at": "2026-03-02T09:30:00.000Z",
         *       "version": "1.0.0",
         *       "node_version": "26.0.0",
         *       "database": "sqlite",
         *       "host": "gatehouse-1",
         *       "base_url": "https://auth.example.org",
         *       "started_at": "2026-03-02T08:00:00.000Z",
         *       "uptime_seconds": 5400,
         *       "workers": 1,
         *       "schema": {
         *         "version": 25,
         *         "latest": 25
         *       },
         *       "jobs": [],
         *       "throttled": {
         *         "logins": 0,
         *         "addresses": 0,
         *         "accounts": 0
         *       },
         *       "readiness": {
         *         "ready": true,
         *         "reason": null,
         *         "warnings": []
         *       },
         *       "mail": {
         *         "enabled": true,
         *         "server": true,
         *         "waiting": 0,
         *         "failed": 0,
         *         "oldest_waiting_seconds": 0,
         *         "trouble": null
         *       },
         *       "webhooks": {
         *         "enabled": 1,
         *         "disabled": 0,
         *         "failed": 0,
         *         "oldest_waiting_seconds": 0,
         *         "oldest_waiting_failing_seconds": 0
         *       },
         *       "unusual": [],
         *       "backups": {
         *         "enabled": true,
         *         "last_at": "2026-03-02T03:00:00.000Z",
         *         "age_seconds": 23400,
         *         "every_seconds": 86400,
         *         "failures": 0,
         *         "detail": null,
         *         "warning": null
         *       },
         *       "unknown": []
         *     }
         */
        AdminStatus: {
            /**
             * Format: date-time
             * @description The time of the service
             */
            at: string;
            version: string;
            node_version: string;
            /** @enum {string} */
            database: "sqlite" | "postgresql";
            /** @description The machine that answers */
            host: string;
            /** @description BASE_URL */
            base_url: string;
            /**
             * Format: date-time
             * @description Of the process that answers
             */
            started_at: string;
            uptime_seconds: number;
            /** @description WORKERS: the processes of this machine */
            workers: number;
            schema: {
                /** @description Of the database */
                version: number;
                /** @description That this program knows */
                latest: number;
            } | null;
            /** @description Of this machine; of a job that each process runs, the one that fares worst */
            jobs: components["schemas"]["JobState"][] | null;
            /** @description What is refused now */
            throttled: {
                /** @description Usernames at an address */
                logins: number;
                addresses: number;
                /** @description Locked out after failed logins */
                accounts: number;
            } | null;
            readiness: {
                ready: boolean;
                /** @description Why the node that answers should get no requests: docs/health.md; null: it can serve */
                reason: string | null;
                /** @description What an operator should look at although it can serve: docs/health.md */
                warnings: string[];
            } | null;
            mail: {
                /** @description Whether mail is sent, or in development written to files */
                enabled: boolean;
                /** @description Whether SMTP_URL names a mail server */
                server: boolean;
                waiting: number;
                /** @description Given up, and still kept */
                failed: number;
                /** @description 0: none waits */
                oldest_waiting_seconds: number;
                /** @description Null while the mail server takes mail */
                trouble: {
                    /** Format: date-time */
                    since: string;
                    /** @description What the mail server said at last */
                    response: string;
                } | null;
            } | null;
            webhooks: {
                /** @description Endpoints */
                enabled: number;
                disabled: number;
                /** @description Disabled because they took nothing */
                failed: number;
                /** @description For endpoints that answer; 0: none waits */
                oldest_waiting_seconds: number;
                /** @description For those that have failed since they last took something */
                oldest_waiting_failing_seconds: number;
            } | null;
            /** @description What has happened in the last hour at least 20 times, and more than three times as often as usual at this time of the day. Empty for the first three days */
            unusual: components["schemas"]["UnusualSeries"][] | null;
            backups: {
                /** @description Whether the service makes backups by itself: BACKUP_DIR */
                enabled: boolean;
                /**
                 * Format: date-time
                 * @description When the state began that the newest backup holds
                 */
                last_at: string | null;
                age_seconds: number | null;
                every_seconds: number | null;
                /** @description Attempts that failed since the newest backup */
                failures: number;
                /** @description Why the last attempt failed */
                detail: string | null;
                /** @enum {string|null} */
                warning: "backup_failed" | "backup_late" | null;
            } | null;
            /** @description The parts that are null, because what tells them is broken */
            unknown: {
                /** @enum {string} */
                part: "schema" | "jobs" | "throttled" | "readiness" | "mail" | "webhooks" | "unusual" | "backups";
                /** @enum {string} */
                reason: "database" | "late" | "fault";
            }[];
        };
        /**
         * @example {
         *       "email": "ann@example.org"
         *     }
         */
        AdministratorsReset: {
            /** @description For an account without a verified address: that of its owner */
            email?: string;
        };
        /**
         * @example {
         *       "limit": 10,
         *       "data": [
         *         {
         *           "number": 4211,
         *           "id": "01KAYQ3V6E8X7N5T2R9W0ZB4CD",
         *           "at": "2026-03-02T08:15:30.000Z",
         *           "type": "privilege_permissions_changed",
         *           "level": "warn",
         *           "outcome": "success",
         *           "reason": null,
         *           "count": 1,
         *           "count_since": null,
         *           "actor": {
         *             "kind": "user",
         *             "subject": "1",
         *             "username": "admin"
         *           },
         *           "target": {
         *             "user_id": 7,
         *             "username": "ann"
         *           },
         *           "details": {
         *             "roles": [
         *               "USER",
         *               "ADMIN"
         *             ],
         *             "locked": false,
         *             "active": true
         *           },
         *           "address": "203.0.113.7",
         *           "proxies": [],
         *           "user_agent": "Mozilla/5.0",
         *           "session": null,
         *           "token": "qS4hJv1bV0mX2nYcRk5tZ8uWdE7fGiL3oPaQrStUvWx",
         *           "scheme": "bearer",
         *           "factors": [
         *             "pwd",
         *             "otp",
         *             "mfa"
         *           ],
         *           "method": "PUT",
         *           "route": "/api/admin/accounts/:username",
         *           "status": 200,
         *           "request_id": "req-4f2a9c",
         *           "instance": "auth-1/4242",
         *           "version": "0.4.0",
         *           "chain": "bV0mX2nYcRk5tZ8uWdE7fG",
         *           "place": 17,
         *           "erased": false,
         *           "damaged": false
         *         }
         *       ],
         *       "next": null,
         *       "newer": "WzQyMTFd",
         *       "has_newer": false
         *     }
         */
        AuditPage: {
            limit: number;
            data: components["schemas"]["AuditRecord"][];
            /** @description The `cursor` of older records; null at the end */
            next: string | null;
            /** @description The `after` of records that are stored later. A record that is stored while the page is read may come again: its `id` says so */
            newer: string;
            /** @description Whether the answer for `after` was full: ask again at once */
            has_newer: boolean;
        };
        /**
         * @example {
         *       "what": "changed",
         *       "chain": "bV0mX2nYcRk5tZ8uWdE7fG",
         *       "place": 17,
         *       "number": 4211,
         *       "id": "01KAYQ3V6E8X7N5T2R9W0ZB4CD",
         *       "detail": "the record is not what was written at this place: it was changed, swapped or inserted"
         *     }
         */
        AuditProblem: {
            /** @enum {string} */
            what: "changed" | "missing" | "inserted" | "number" | "index" | "erasure" | "chain" | "tombstone" | "checkpoint" | "outside" | "key";
            chain: string | null;
            place: number | null;
            number: number | null;
            id: string | null;
            /** @description One sentence */
            detail: string;
        };
        /**
         * @example {
         *       "number": 4211,
         *       "id": "01KAYQ3V6E8X7N5T2R9W0ZB4CD",
         *       "at": "2026-03-02T08:15:30.000Z",
         *       "type": "privilege_permissions_changed",
         *       "level": "warn",
         *       "outcome": "success",
         *       "reason": null,
         *       "count": 1,
         *       "count_since": null,
         *       "actor": {
         *         "kind": "user",
         *         "subject": "1",
         *         "username": "admin"
         *       },
         *       "target": {
         *         "user_id": 7,
         *         "username": "ann"
         *       },
         *       "details": {
         *         "roles": [
         *           "USER",
         *           "ADMIN"
         *         ],
         *         "locked": false,
         *         "active": true
         *       },
         *       "address": "203.0.113.7",
         *       "proxies": [],
         *       "user_agent": "Mozilla/5.0",
         *       "session": null,
         *       "token": "qS4hJv1bV0mX2nYcRk5tZ8uWdE7fGiL3oPaQrStUvWx",
         *       "scheme": "bearer",
         *       "factors": [
         *         "pwd",
         *         "otp",
         *         "mfa"
         *       ],
         *       "method": "PUT",
         *       "route": "/api/admin/accounts/:username",
         *       "status": 200,
         *       "request_id": "req-4f2a9c",
         *       "instance": "auth-1/4242",
         *       "version": "0.4.0",
         *       "chain": "bV0mX2nYcRk5tZ8uWdE7fG",
         *       "place": 17,
         *       "erased": false,
         *       "damaged": false
         *     }
         */
        AuditRecord: {
            /** @description The order in which records were stored; it may have gaps */
            number: number;
            /** @description Unique for ever, a ULID */
            id: string;
            /**
             * Format: date-time
             * @description When it happened
             */
            at: string;
            /** @description The type of the event */
            type: string;
            /** @enum {string} */
            level: "info" | "warn" | "critical";
            /** @enum {string} */
            outcome: "success" | "failure";
            /** @description Why something was refused */
            reason: string | null;
            /** @description More than 1: of this many refusals, in a flood of them */
            count: number;
            /**
             * Format: date-time
             * @description When the first of these refusals was
             */
            count_since: string | null;
            /** @description Who acted. The subject is a user id, `ISSUER#SUB`, `client:ID`, or as `kind` */
            actor: {
                /** @description `user`, `external`, `client`, `cli`, `bootstrap`, `job` or `unknown` */
                kind: string | null;
                subject: string | null;
                username: string | null;
            };
            /** @description The user whom it concerns */
            target: {
                user_id: number | null;
                username: string | null;
            } | null;
            /** @description The other fields of this type of event */
            details: {
                [key: string]: unknown;
            } | null;
            /** @description Of the client */
            address: string | null;
            /** @description Trusted proxies on the way, from the nearest on */
            proxies: string[];
            user_agent: string | null;
            /** @description A digest of the session, never the cookie */
            session: string | null;
            /** @description A digest of the `jti` of the token */
            token: string | null;
            /** @description By which the caller was authenticated */
            scheme: string | null;
            /** @description Authentication methods of the caller, RFC 8176 */
            factors: string[];
            /** @description Of the request */
            method: string | null;
            route: string | null;
            /** @description Of the answer */
            status: number | null;
            /** @description As in X-Request-Id */
            request_id: string | null;
            /** @description The process that recorded it */
            instance: string | null;
            /** @description Of the service */
            version: string | null;
            /** @description The chain of records that it belongs to */
            chain: string;
            /** @description In its chain, without gaps */
            place: number;
            /** @description A person was erased, whose fields are null */
            erased: boolean;
            /** @description Fields do not open although their key is there: verify the log */
            damaged: boolean;
        };
        /**
         * @example {
         *       "ok": true,
         *       "first": null,
         *       "problem_count": 0,
         *       "problems": [],
         *       "fork": null,
         *       "checked": {
         *         "records": 4211,
         *         "chains": 6,
         *         "checkpoints": 388,
         *         "tombstones": 0,
         *         "outside": 388
         *       },
         *       "erased": 2,
         *       "last_checkpoint": {
         *         "number": 388,
         *         "at": "2026-03-02T08:15:00.000Z"
         *       },
         *       "last_outside": {
         *         "number": 388,
         *         "at": "2026-03-02T08:15:00.000Z"
         *       },
         *       "uncovered": {
         *         "records": 3,
         *         "since": "2026-03-02T08:15:20.000Z"
         *       },
         *       "notes": []
         *     }
         */
        AuditReport: {
            /** @description Whether nothing was changed, removed or added */
            ok: boolean;
            /** @description The first problem, in the order of the records */
            first: components["schemas"]["AuditProblem"] | null;
            problem_count: number;
            /** @description The first 20 */
            problems: components["schemas"]["AuditProblem"][];
            /** @description Checkpoints that the file outside has and the database lacks */
            fork: {
                from: number;
                to: number;
                lines: number;
                /**
                 * Format: date-time
                 * @description The newest of them
                 */
                at: string;
                /** @description The recorded restore of a backup that explains them */
                restore: {
                    id: string;
                    /** Format: date-time */
                    at: string;
                    file: string | null;
                    created_at: string | null;
                } | null;
            } | null;
            checked: {
                records: number;
                chains: number;
                checkpoints: number;
                tombstones: number;
                /** @description Lines of the file outside; null without one: a cut tail or an old copy is not seen then */
                outside: number | null;
            };
            /** @description Records of erased persons */
            erased: number;
            last_checkpoint: {
                number: number;
                /** Format: date-time */
                at: string;
            } | null;
            last_outside: {
                number: number;
                /** Format: date-time */
                at: string;
            } | null;
            uncovered: {
                /** @description Which no checkpoint covers yet */
                records: number;
                /** Format: date-time */
                since: string | null;
            };
            /** @description What to know although it is no problem */
            notes: string[];
        };
        /**
         * @example {
         *       "type": "session_created",
         *       "category": "session",
         *       "level": "info",
         *       "outcome": "success"
         *     }
         */
        AuditType: {
            type: string;
            /** @description The part of the service that has the type */
            category: string;
            /** @enum {string} */
            level: "info" | "warn" | "critical";
            /** @enum {string} */
            outcome: "success" | "failure";
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "type": "session_created",
         *           "category": "session",
         *           "level": "info",
         *           "outcome": "success"
         *         }
         *       ]
         *     }
         */
        AuditTypeList: {
            data: components["schemas"]["AuditType"][];
        };
        /**
         * @example {
         *       "id": 3,
         *       "state": "done",
         *       "asked_at": "2026-03-02T08:15:28.000Z",
         *       "started_at": "2026-03-02T08:15:30.000Z",
         *       "finished_at": "2026-03-02T08:15:31.000Z",
         *       "node": "gatehouse-1",
         *       "records": 4211,
         *       "detail": null,
         *       "result": {
         *         "ok": true,
         *         "first": null,
         *         "problem_count": 0,
         *         "problems": [],
         *         "fork": null,
         *         "checked": {
         *           "records": 4211,
         *           "chains": 6,
         *           "checkpoints": 388,
         *           "tombstones": 0,
         *           "outside": 388
         *         },
         *         "erased": 2,
         *         "last_checkpoint": {
         *           "number": 388,
         *           "at": "2026-03-02T08:15:00.000Z"
         *         },
         *         "last_outside": {
         *           "number": 388,
         *           "at": "2026-03-02T08:15:00.000Z"
         *         },
         *         "uncovered": {
         *           "records": 3,
         *           "since": "2026-03-02T08:15:20.000Z"
         *         },
         *         "notes": []
         *       }
         *     }
         */
        AuditVerification: {
            id: number;
            /**
             * @description `done`: `result` says what was found; `failed`: it came to no result
             * @enum {string}
             */
            state: "waiting" | "running" | "done" | "failed";
            /** Format: date-time */
            asked_at: string;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            finished_at: string | null;
            /** @description The host that verifies */
            node: string;
            /** @description Verified so far */
            records: number;
            /** @description Why it failed, or why it was begun anew */
            detail: string | null;
            result: components["schemas"]["AuditReport"] | null;
        };
        /**
         * @example {
         *       "last_checkpoint": {
         *         "number": 388,
         *         "at": "2026-03-02T08:15:00.000Z",
         *         "age_seconds": 42
         *       },
         *       "checkpoint_seconds": 300,
         *       "uncovered_seconds": 12,
         *       "sinks": [
         *         {
         *           "name": "file",
         *           "unsent_seconds": 0
         *         }
         *       ],
         *       "open": null,
         *       "last": {
         *         "id": 3,
         *         "state": "done",
         *         "asked_at": "2026-03-02T08:15:28.000Z",
         *         "started_at": "2026-03-02T08:15:30.000Z",
         *         "finished_at": "2026-03-02T08:15:31.000Z",
         *         "node": "gatehouse-1",
         *         "records": 4211,
         *         "detail": null,
         *         "result": {
         *           "ok": true,
         *           "first": null,
         *           "problem_count": 0,
         *           "problems": [],
         *           "fork": null,
         *           "checked": {
         *             "records": 4211,
         *             "chains": 6,
         *             "checkpoints": 388,
         *             "tombstones": 0,
         *             "outside": 388
         *           },
         *           "erased": 2,
         *           "last_checkpoint": {
         *             "number": 388,
         *             "at": "2026-03-02T08:15:00.000Z"
         *           },
         *           "last_outside": {
         *             "number": 388,
         *             "at": "2026-03-02T08:15:00.000Z"
         *           },
         *           "uncovered": {
         *             "records": 3,
         *             "since": "2026-03-02T08:15:20.000Z"
         *           },
         *           "notes": []
         *         }
         *       }
         *     }
         */
        AuditVerificationState: {
            /** @description The last signed statement of how far the chains go */
            last_checkpoint: {
                number: number;
                /** Format: date-time */
                at: string;
                age_seconds: number;
            } | null;
            /** @description AUDIT_CHECKPOINT_SECONDS */
            checkpoint_seconds: number;
            /** @description The age of the oldest record of this process that no checkpoint covers yet */
            uncovered_seconds: number;
            /** @description What receives checkpoints and records outside, as far as this process sends */
            sinks: {
                name: string;
                /** @description The age of the oldest that it lacks */
                unsent_seconds: number;
            }[];
            /** @description The one that waits or runs */
            open: components["schemas"]["AuditVerification"] | null;
            /** @description The last one that has ended */
            last: components["schemas"]["AuditVerification"] | null;
        };
        /**
         * @example {
         *       "id": 12,
         *       "state": "done",
         *       "started_at": "2026-11-20T03:00:00.000Z",
         *       "finished_at": "2026-11-20T03:00:04.000Z",
         *       "node": "gatehouse-1",
         *       "file": "gatehouse-20261120T030000Z-q3Rk0ZtB.backup",
         *       "bytes": 14680064,
         *       "sha256": "3f786850e387550fdab836ed7e6dc881de23001b9f5c2d3a0b9b7c6e2d9a1f04",
         *       "detail": null
         *     }
         */
        BackupRun: {
            id: number;
            /**
             * @description `removed`: its file was removed after newer backups were good
             * @enum {string}
             */
            state: "waiting" | "running" | "done" | "failed" | "removed";
            /**
             * Format: date-time
             * @description The backup holds all that was acknowledged before
             */
            started_at: string;
            /** Format: date-time */
            finished_at: string | null;
            /** @description The host that makes it */
            node: string;
            /** @description Its name in BACKUP_DIR */
            file: string | null;
            bytes: number | null;
            /** @description Of the whole file, as `sha256sum` prints it */
            sha256: string | null;
            /** @description Why it failed, or why it was begun anew */
            detail: string | null;
        };
        /**
         * @example {
         *       "page": 1,
         *       "limit": 10,
         *       "total": 0,
         *       "data": []
         *     }
         */
        BackupRunPage: {
            page: number;
            limit: number;
            total: number;
            data: components["schemas"]["BackupRun"][];
        };
        /**
         * @example {
         *       "message": "Reset mailed",
         *       "expires_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        BegunAdministratorsReset: {
            message: string;
            /**
             * Format: date-time
             * @description When the link and the code end
             */
            expires_at: string;
        };
        /**
         * @example {
         *       "id": "q5Wc1oJ4mN0b7Yt2xR9dEg",
         *       "expires_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        BegunConfirmation: {
            /** @description What the code of the mail is sent with; new each time */
            id: string;
            /**
             * Format: date-time
             * @description When the code ends; the link too, unless it was mailed before: the mail says
             */
            expires_at: string;
        };
        /**
         * @example {
         *       "parameters": {
         *         "algorithm": "PBKDF2/SHA-256",
         *         "cost": 2000,
         *         "expiresAt": 1772444400,
         *         "keyLength": 32,
         *         "keyPrefix": "00",
         *         "nonce": "5d1f0c9e8b7a46352413f2e1d0c9b8a7",
         *         "salt": "9a8b7c6d5e4f30211203f4e5d6c7b8a9"
         *       },
         *       "signature": "4f1a…c2"
         *     }
         */
        Captcha: {
            parameters: {
                algorithm: string;
                cost: number;
                /** @description Seconds since 1970 */
                expiresAt: number;
                keyLength: number;
                keyPrefix: string;
                nonce: string;
                salt: string;
            };
            signature: string;
        };
        /**
         * @example {
         *       "error": "Captcha required",
         *       "captcha": {
         *         "parameters": {
         *           "algorithm": "PBKDF2/SHA-256",
         *           "cost": 2000,
         *           "expiresAt": 1772444400,
         *           "keyLength": 32,
         *           "keyPrefix": "00",
         *           "nonce": "5d1f0c9e8b7a46352413f2e1d0c9b8a7",
         *           "salt": "9a8b7c6d5e4f30211203f4e5d6c7b8a9"
         *         },
         *         "signature": "4f1a…c2"
         *       }
         *     }
         */
        CaptchaRequired: {
            /** @constant */
            error: "Captcha required";
            captcha: components["schemas"]["Captcha"];
        };
        /**
         * @example {
         *       "message": "Failed tries forgotten",
         *       "address": "203.0.113.9",
         *       "logins": 20,
         *       "clients": 0,
         *       "usernames": 0
         *     }
         */
        ClearedAddress: {
            message: string;
            /** @description As the limits count it: IPv4, or the /64 of IPv6 */
            address: string;
            /** @description How many failed logins were forgotten */
            logins: number;
            /** @description How many wrong secrets of clients were forgotten */
            clients: number;
            /** @description How many sign-ups with a taken username were forgotten */
            usernames: number;
        };
        /**
         * @example {
         *       "id": "shop",
         *       "may": [
         *         "introspect",
         *         "revoke"
         *       ],
         *       "audiences": [
         *         "api"
         *       ],
         *       "secrets": 1
         *     }
         */
        Client: {
            id: string;
            /** @description What it may ask for */
            may: ("introspect" | "revoke" | "metrics")[];
            /** @description It learns about tokens that have one of these as `aud` */
            audiences: string[];
            /** @description How many secrets are valid: two during a rotation */
            secrets: number;
        };
        /**
         * @example {
         *       "configured": true,
         *       "data": [
         *         {
         *           "id": "shop",
         *           "may": [
         *             "introspect",
         *             "revoke"
         *           ],
         *           "audiences": [
         *             "api"
         *           ],
         *           "secrets": 1
         *         }
         *       ],
         *       "mistakes": []
         *     }
         */
        ClientList: {
            /** @description Whether CLIENTS_FILE is set */
            configured: boolean;
            /** @description Those in use, in the order of the file */
            data: components["schemas"]["Client"][];
            /** @description Why the present file is not used; until it is mended, the clients before stay */
            mistakes: string[];
        };
        /**
         * @example {
         *       "error": "Confirmation required",
         *       "proofs": [
         *         "password"
         *       ]
         *     }
         */
        ConfirmationRequired: {
            /** @constant */
            error: "Confirmation required";
            /** @description The proofs that are still missing, all of which are needed; a recovery code counts as `totp` */
            proofs: ("password" | "totp" | "provider" | "email")[];
            /** @description The page that takes the proofs `provider` and `email`, if one is missing */
            confirm_url?: string;
        };
        /**
         * @example {
         *       "message": "Email verified"
         *     }
         */
        ConfirmedEmail: {
            message: string;
            /** @description After a change was taken back: the `token` of PUT /api/public/reset */
            reset_token?: string;
            /**
             * Format: date-time
             * @description When `reset_token` ends
             */
            expires_at?: string;
        };
        /**
         * @example {
         *       "user_id": "7",
         *       "username": "ann",
         *       "roles": [
         *         "USER"
         *       ],
         *       "csrf_token": "f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0",
         *       "expires_at": "2026-03-02T10:00:00.000Z"
         *     }
         */
        CurrentSession: {
            user_id: string;
            username: string;
            roles: components["schemas"]["Role"][];
            /** @description To be sent as X-CSRF-Token */
            csrf_token: string;
            /** Format: date-time */
            expires_at: string;
        };
        /**
         * @example {
         *       "check": "first_password",
         *       "level": "warning",
         *       "what": "/var/lib/gatehouse/first-password still holds the generated password.",
         *       "why": "It is the password of an administrator in clear; copies of the folder take it along.",
         *       "mend": {
         *         "do": "Log in with it, change it, and delete the file.",
         *         "setting": "rm /var/lib/gatehouse/first-password",
         *         "nginx": null,
         *         "caddy": null
         *       }
         *     }
         */
        DoctorFinding: {
            /** @description Never renamed: docs/doctor.md has a row for each */
            check: string;
            /**
             * @description `info` is advice; `unknown`: the check could not be made
             * @enum {string}
             */
            level: "error" | "warning" | "info" | "unknown";
            what: string;
            /** @description Why it matters */
            why: string;
            mend: {
                do: string;
                /** @description A setting of the service, or a command */
                setting: string | null;
                nginx: string | null;
                caddy: string | null;
            };
        };
        /**
         * @example {
         *       "checked_at": "2026-03-02T09:00:00.000Z",
         *       "url": null,
         *       "checks": 28,
         *       "errors": 0,
         *       "warnings": 0,
         *       "advice": 0,
         *       "unknown": 0,
         *       "findings": []
         *     }
         */
        DoctorReport: {
            /** Format: date-time */
            checked_at: string;
            /** @description What was examined from outside; null: nothing */
            url: string | null;
            /** @description How many checks were made */
            checks: number;
            errors: number;
            warnings: number;
            advice: number;
            unknown: number;
            /** @description The worst first */
            findings: components["schemas"]["DoctorFinding"][];
        };
        /**
         * @example {
         *       "error": "Second factor enrolment required",
         *       "enrolment_token": "eyJhbGciOiJSUzI1NiIsImtpZCI6IjFmIn0.eyJzdWIiOiI3In0.c2lnbmF0dXJl"
         *     }
         */
        EnrolmentRequired: {
            /** @constant */
            error: "Second factor enrolment required";
            /** @description A bearer token for the operations that enrol a second factor, for 10 minutes */
            enrolment_token: string;
        };
        /**
         * @example {
         *       "error": "Access denied"
         *     }
         */
        Error: {
            /** @description What is wrong: one text for each error */
            error: string;
        };
        /**
         * @example {
         *       "path": [
         *         "email"
         *       ],
         *       "message": "must be an e-mail address"
         *     }
         */
        ErrorDetail: {
            /** @description The names down to the wrong field */
            path: string[];
            message: string;
        };
        /**
         * @example {
         *       "of": "PUT /users/7",
         *       "passes": false,
         *       "status": 403,
         *       "error": "Access denied",
         *       "code": "resource_rule",
         *       "guard": "access rule",
         *       "explanation": "The rule about the resource does not hold for this caller: not its owner, or it is locked, or of an ADMIN.",
         *       "facts": {
         *         "rule": "owner or ADMIN",
         *         "lacks": [
         *           "to be the owner, who is user 7",
         *           "the role ADMIN"
         *         ]
         *       },
         *       "subject": "2",
         *       "username": "ann",
         *       "route": "/users/:id",
         *       "rule": "owner or ADMIN",
         *       "schemes": [
         *         "basic",
         *         "session",
         *         "bearer"
         *       ],
         *       "checks": [
         *         {
         *           "asks": "authentication by basic",
         *           "passes": true,
         *           "code": null,
         *           "explanation": null,
         *           "facts": {}
         *         }
         *       ],
         *       "mends": [
         *         "change_roles"
         *       ],
         *       "refusal": null
         *     }
         */
        Explanation: {
            /** @description `token` with its kind, `login`, the method and path, or `refusal` */
            of: string;
            passes: boolean;
            /** @description Of the refusal, null without one */
            status: number | null;
            /** @description The text that a client would see */
            error: string | null;
            code: string | null;
            guard: string | null;
            explanation: string;
            /** @description By the code: see docs/explain.md. Times are ISO 8601. */
            facts: {
                [key: string]: unknown;
            };
            subject: string | null;
            username: string | null;
            /** @description The pattern that matches */
            route: string | null;
            rule: string | null;
            schemes: string[];
            /** @description The guards of the route, in order */
            checks: {
                /** @description What the guard asks */
                asks: string;
                passes: boolean;
                code: string | null;
                explanation: string | null;
                /** @description By the code: see docs/explain.md. Times are ISO 8601. */
                facts: {
                    [key: string]: unknown;
                };
            }[];
            /** @description What an administrator can do about it now, the first being the one to try first: docs/explain.md has the request of each */
            mends: components["schemas"]["Mend"][];
            /** @description The refusal that `text` names by its X-Request-Id; null otherwise */
            refusal: components["schemas"]["Refusal"] | null;
        };
        /**
         * @example {
         *       "username": "ann",
         *       "user_id": 7,
         *       "roles": [
         *         "USER"
         *       ],
         *       "locked": false,
         *       "active": true,
         *       "second_factor": false,
         *       "deletion_at": null,
         *       "created_at": "2026-03-02T09:00:00.000Z",
         *       "name": "Ann Example",
         *       "email": "ann@example.org",
         *       "must_change": false
         *     }
         */
        ExportedAccount: {
            username: string;
            user_id: number;
            roles: components["schemas"]["Role"][];
            locked: boolean;
            active: boolean;
            second_factor: boolean;
            /**
             * Format: date-time
             * @description When the account is erased, because its owner has deleted it; until then it cannot log in. Null otherwise
             */
            deletion_at: string | null;
            /** Format: date-time */
            created_at: string;
            name: string;
            email: string;
            must_change: boolean;
        };
        /**
         * @example {
         *       "username": "ann",
         *       "failures": 3,
         *       "locked_until": null
         *     }
         */
        FailingAccount: {
            username: string;
            /** @description In a row, over all addresses */
            failures: number;
            /**
             * Format: date-time
             * @description Of the automatic lock
             */
            locked_until: string | null;
        };
        /**
         * @example {
         *       "limit": 10,
         *       "total": 1,
         *       "data": [
         *         {
         *           "username": "ann",
         *           "user_id": 7,
         *           "roles": [
         *             "USER"
         *           ],
         *           "locked": false,
         *           "active": true,
         *           "second_factor": false,
         *           "deletion_at": null,
         *           "created_at": "2026-03-02T09:00:00.000Z",
         *           "name": "Ann Example",
         *           "email": "ann@example.org",
         *           "verified_email": "ann@example.org",
         *           "locked_until": null,
         *           "must_change": false,
         *           "identities": 0,
         *           "imported": false,
         *           "last_login_at": "2026-03-02T09:40:00.000Z"
         *         }
         *       ],
         *       "next": null,
         *       "previous": null
         *     }
         */
        FoundAccounts: {
            limit: number;
            /** @description How many accounts match: of all accounts, or of those that match a filter which few do, 2,000 at most; null where they are not counted */
            total: number | null;
            data: components["schemas"]["ListedAccount"][];
            /** @description The `cursor` of what follows; null at the end. A page looks through some 20,000 accounts at most, so that one with several filters may be short, or empty, and have a `next` */
            next: string | null;
            /** @description The `cursor` of what precedes; null at the start */
            previous: string | null;
        };
        /**
         * @example {
         *       "status": "live"
         *     }
         */
        Health: {
            status: string;
        };
        /**
         * @example {
         *       "name": "Gatehouse",
         *       "links": {
         *         "documentation": {
         *           "href": "/api/docs",
         *           "access": "ADMIN"
         *         },
         *         "openapi": {
         *           "href": "/api/openapi.json",
         *           "access": "ADMIN"
         *         },
         *         "jwks": {
         *           "href": "/.well-known/jwks.json",
         *           "access": "anyone"
         *         },
         *         "health": {
         *           "href": "/health/ready",
         *           "access": "anyone"
         *         },
         *         "status": {
         *           "href": "/api/public/status",
         *           "access": "anyone"
         *         }
         *       },
         *       "sign_in": [
         *         {
         *           "name": "acme",
         *           "href": "/oauth/acme/login"
         *         }
         *       ]
         *     }
         */
        Home: {
            name: string;
            links: {
                documentation: {
                    /** @description A path of this service */
                    href: string;
                    /**
                     * @description Who may read it
                     * @enum {string}
                     */
                    access: "anyone" | "ADMIN";
                };
                openapi: {
                    /** @description A path of this service */
                    href: string;
                    /**
                     * @description Who may read it
                     * @enum {string}
                     */
                    access: "anyone" | "ADMIN";
                };
                jwks: {
                    /** @description A path of this service */
                    href: string;
                    /**
                     * @description Who may read it
                     * @enum {string}
                     */
                    access: "anyone" | "ADMIN";
                };
                health: {
                    /** @description A path of this service */
                    href: string;
                    /**
                     * @description Who may read it
                     * @enum {string}
                     */
                    access: "anyone" | "ADMIN";
                };
                status: {
                    /** @description A path of this service */
                    href: string;
                    /**
                     * @description Who may read it
                     * @enum {string}
                     */
                    access: "anyone" | "ADMIN";
                };
            };
            /** @description The identity providers that a browser can sign in with */
            sign_in: {
                /** @description A name of `OIDC_PROVIDERS`, or `default` */
                name: string;
                /** @description A path that a browser opens */
                href: string;
            }[];
        };
        /**
         * @example {
         *       "id": 3,
         *       "provider": "acme",
         *       "issuer": "https://login.example.org",
         *       "subject": "248289761001",
         *       "created_at": "2026-03-02T09:45:00.000Z"
         *     }
         */
        Identity: {
            id: number;
            /** @description Null: it is configured no more */
            provider: string | null;
            issuer: string;
            subject: string;
            /** Format: date-time */
            created_at: string;
        };
        /**
         * @example {
         *       "provider": "acme",
         *       "return_to": "/console",
         *       "current_password": "gravel-otter-lantern-41"
         *     }
         */
        IdentityLinkRequest: {
            /** @description A name of `OIDC_PROVIDERS`; `default` for the one without a name */
            provider: string;
            /** @description Where the browser lands */
            return_to?: string;
            /** @description If the account has a password, unless Basic or an enrolment token proves it */
            current_password?: string;
            /** @description If the account has a second factor */
            totp?: string;
            /** @description In place of `totp`; each can be used once */
            recovery_code?: string;
            /** @description The solution of a challenge: base64 of JSON, as the widget of ALTCHA sends it */
            captcha?: string;
        };
        /**
         * @example {
         *       "url": "https://login.example.org/authorize?client_id=gatehouse&state=8hJ…"
         *     }
         */
        IdentityLinkStart: {
            /** @description To be opened by the same browser */
            url: string;
        };
        /**
         * @example {
         *       "line": 3,
         *       "outcome": "refuse",
         *       "account": {
         *         "username": "bea",
         *         "roles": [
         *           "EDITOR"
         *         ],
         *         "locked": false,
         *         "active": true,
         *         "must_change": false,
         *         "created_at": "2024-05-06T07:08:09.000Z",
         *         "user_id": null,
         *         "name": "Bea Example",
         *         "email": "bea@example.org",
         *         "password_hash": true,
         *         "password": false
         *       },
         *       "present": {
         *         "username": "bea",
         *         "roles": [
         *           "USER"
         *         ],
         *         "locked": false,
         *         "active": true,
         *         "must_change": false,
         *         "created_at": "2024-05-06T07:08:09.000Z",
         *         "user_id": 17,
         *         "name": "Bea Example",
         *         "email": "bea@example.org"
         *       },
         *       "errors": [
         *         {
         *           "path": [
         *             "username"
         *           ],
         *           "message": "exists already"
         *         }
         *       ]
         *     }
         */
        ImportLinePreview: {
            /** @description Counted from 1, blank lines included; of an array the place of the element */
            line: number;
            /** @enum {string} */
            outcome: "import" | "refuse";
            /** @description As the line describes it; null if it cannot be read */
            account: {
                username: string;
                roles: string[];
                locked: boolean;
                active: boolean;
                must_change: boolean;
                /**
                 * Format: date-time
                 * @description Null: when it is imported
                 */
                created_at: string | null;
                /** @description Null: a new user */
                user_id: number | null;
                name: string | null;
                email: string | null;
                /** @description A hash, which is stored as it is */
                password_hash: boolean;
                /** @description A password, which is hashed; with neither the account has none */
                password: boolean;
            } | null;
            /** @description The account that has the name or the user already, as it is now */
            present: {
                username: string;
                roles: string[];
                locked: boolean;
                active: boolean;
                must_change: boolean;
                /**
                 * Format: date-time
                 * @description Null: when it is imported
                 */
                created_at: string | null;
                /** @description Null: a new user */
                user_id: number | null;
                name: string | null;
                email: string | null;
            } | null;
            /** @description The first 20 of the line */
            errors: {
                path: string[];
                message: string;
            }[];
        };
        /**
         * @example {
         *       "line": 3,
         *       "path": [
         *         "email"
         *       ],
         *       "message": "must be an e-mail address"
         *     }
         */
        ImportMistake: {
            line: number;
            path: string[];
            message: string;
        };
        /**
         * @example {
         *       "dry_run": false,
         *       "lines": 250,
         *       "imported": 250,
         *       "errors": [],
         *       "errors_total": 0
         *     }
         */
        ImportReport: {
            dry_run: boolean;
            /** @description Lines that are not blank, rows below the header, or elements of an array */
            lines: number;
            /** @description Accounts made, or that would be: all or none */
            imported: number;
            /** @description The first 1000 */
            errors: components["schemas"]["ImportMistake"][];
            errors_total: number;
            /** @description The columns of CSV that no field has, if there are any */
            ignored_columns?: string[];
            /** @description If it was asked for: the first lines of each outcome, in their order */
            preview?: components["schemas"]["ImportLinePreview"][];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": 4,
         *           "dry_run": false,
         *           "started_at": "2026-03-02T08:00:00.000Z",
         *           "seen_at": "2026-03-02T08:00:07.000Z",
         *           "lines": 20500
         *         }
         *       ]
         *     }
         */
        ImportsUnderWay: {
            data: {
                id: number;
                dry_run: boolean;
                /**
                 * Format: date-time
                 * @description Null for one of a node of 0.8.0
                 */
                started_at: string | null;
                /**
                 * Format: date-time
                 * @description When its lines were counted
                 */
                seen_at: string;
                /** @description Read by then; 500 are stored at a time */
                lines: number;
            }[];
        };
        /**
         * @example {
         *       "error": "Internal server error",
         *       "message": "the disk is full"
         *     }
         */
        InternalError: {
            /** @description What is wrong: one text for each error */
            error: string;
            /** @description What failed; in development mode alone */
            message: string;
        };
        /**
         * @example {
         *       "active": true,
         *       "token_type": "Bearer",
         *       "iss": "https://auth.example.com",
         *       "sub": "7",
         *       "aud": "api",
         *       "exp": 1772447100,
         *       "iat": 1772443500,
         *       "nbf": 1772443500,
         *       "jti": "c1f0a9b2d4e6",
         *       "username": "ann",
         *       "roles": [
         *         "USER"
         *       ],
         *       "auth_time": 1772443500,
         *       "amr": [
         *         "pwd"
         *       ]
         *     }
         */
        Introspection: {
            /** @description If false, there are no other members */
            active: boolean;
            /** @constant */
            token_type?: "Bearer";
            iss?: string;
            /** @description The id of the user */
            sub?: string;
            aud?: string | string[];
            /** @description Seconds since the epoch, as iat, nbf and auth_time */
            exp?: number;
            iat?: number;
            nbf?: number;
            jti?: string;
            username?: string;
            scope?: string;
            client_id?: string;
            roles?: components["schemas"]["Role"][];
            /** @description When the user last authenticated */
            auth_time?: number;
            /** @description How the user authenticated, RFC 8176 */
            amr?: string[];
            /** @description The id of the pair that the token belongs to */
            sid?: string;
            /** @description The verified address of the account */
            email?: string;
            email_verified?: boolean;
        };
        /**
         * @example {
         *       "id": 12,
         *       "email": "ann@example.org",
         *       "name": "Ann Example",
         *       "roles": [
         *         "USER"
         *       ],
         *       "state": "pending",
         *       "invited_by": 1,
         *       "created_at": "2026-03-02T09:00:00.000Z",
         *       "expires_at": "2026-03-09T09:00:00.000Z",
         *       "accepted_at": null,
         *       "revoked_at": null,
         *       "user_id": null
         *     }
         */
        Invitation: {
            id: number;
            email: string;
            name: string | null;
            roles: components["schemas"]["Role"][];
            /** @enum {string} */
            state: "pending" | "accepted" | "expired" | "revoked";
            /** @description The user id of the administrator; null: the command line, or deleted */
            invited_by: number | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            /** Format: date-time */
            accepted_at: string | null;
            /** Format: date-time */
            revoked_at: string | null;
            /** @description The user who accepted it */
            user_id: number | null;
        };
        /**
         * @example {
         *       "token": "q5Wc1oJ4mN0b7Yt2xR9dEg.wK3n0V8sQxA2mJ6uT4yB1cZ7fH5pLrD9eGiNoSvXaMk",
         *       "username": "ann",
         *       "name": "Ann Example",
         *       "password": "gravel-otter-lantern-41"
         *     }
         */
        InvitationAcceptance: {
            /** @description Of the link; or else id and code */
            token: string;
            username: string;
            name: string;
            password: string;
            /**
             * @description Of the mail; the default is that of the request
             * @enum {string}
             */
            language?: "en" | "de";
        };
        /**
         * @example {
         *       "page": 1,
         *       "limit": 10,
         *       "total": 1,
         *       "data": [
         *         {
         *           "id": 12,
         *           "email": "ann@example.org",
         *           "name": "Ann Example",
         *           "roles": [
         *             "USER"
         *           ],
         *           "state": "pending",
         *           "invited_by": 1,
         *           "created_at": "2026-03-02T09:00:00.000Z",
         *           "expires_at": "2026-03-09T09:00:00.000Z",
         *           "accepted_at": null,
         *           "revoked_at": null,
         *           "user_id": null
         *         }
         *       ]
         *     }
         */
        InvitationPage: {
            page: number;
            limit: number;
            /** @description Count of all invitations */
            total: number;
            data: components["schemas"]["Invitation"][];
        };
        /**
         * @example {
         *       "name": "backups",
         *       "every_seconds": 5,
         *       "last_run_at": "2026-03-02T09:00:00.000Z",
         *       "last_success_at": "2026-03-02T09:00:00.000Z",
         *       "last_failure_at": null,
         *       "failures": 0,
         *       "result": "succeeded",
         *       "overdue": false
         *     }
         */
        JobState: {
            name: string;
            every_seconds: number;
            /** Format: date-time */
            last_run_at: string | null;
            /** Format: date-time */
            last_success_at: string | null;
            /** Format: date-time */
            last_failure_at: string | null;
            /** @description Since the start of the process */
            failures: number;
            /**
             * @description `waiting`: it has not run yet
             * @enum {string}
             */
            result: "succeeded" | "failed" | "waiting";
            /** @description It has not succeeded for three times as long as it should take */
            overdue: boolean;
        };
        /**
         * @example {
         *       "kty": "RSA",
         *       "use": "sig",
         *       "alg": "RS256",
         *       "kid": "1f",
         *       "n": "u1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gunVTLw7onLRnrq0…",
         *       "e": "AQAB"
         *     }
         */
        Jwk: {
            kty?: string;
            use?: string;
            alg?: string;
            kid?: string;
            n?: string;
            e?: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "keys": [
         *         {
         *           "kty": "RSA",
         *           "use": "sig",
         *           "alg": "RS256",
         *           "kid": "1f",
         *           "n": "u1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gunVTLw7onLRnrq0…",
         *           "e": "AQAB"
         *         }
         *       ]
         *     }
         */
        Jwks: {
            keys: components["schemas"]["Jwk"][];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "kid": "5vKp2mQwXb3nTz8h",
         *           "purpose": "signing",
         *           "algorithm": "RS256",
         *           "state": "verifies",
         *           "configured": false,
         *           "created_at": "2026-01-02T08:00:00.000Z",
         *           "signs_from": "2026-01-02T08:10:00.000Z",
         *           "verifies_until": "2026-03-02T08:21:00.000Z",
         *           "can_retire": true
         *         }
         *       ]
         *     }
         */
        KeyList: {
            /** @description The configured keys, then all others, the newest first */
            data: components["schemas"]["StoredKey"][];
        };
        /**
         * @example {
         *       "username": "ann",
         *       "user_id": 7,
         *       "roles": [
         *         "USER"
         *       ],
         *       "locked": false,
         *       "active": true,
         *       "second_factor": false,
         *       "deletion_at": null,
         *       "created_at": "2026-03-02T09:00:00.000Z",
         *       "name": "Ann Example",
         *       "email": "ann@example.org",
         *       "verified_email": "ann@example.org",
         *       "locked_until": null,
         *       "must_change": false,
         *       "identities": 0,
         *       "imported": false,
         *       "last_login_at": "2026-03-02T09:40:00.000Z"
         *     }
         */
        ListedAccount: {
            username: string;
            user_id: number;
            /** @description That of the user */
            name: string;
            /** @description That of the user, which proves nothing */
            email: string;
            /** @description The address that was proved */
            verified_email: string | null;
            roles: components["schemas"]["Role"][];
            /** @description By an administrator */
            locked: boolean;
            /**
             * Format: date-time
             * @description The end of a lockout after failed logins; null if there is none now
             */
            locked_until: string | null;
            active: boolean;
            /**
             * Format: date-time
             * @description When the account is erased, because its owner has deleted it; until then it cannot log in. Null otherwise
             */
            deletion_at: string | null;
            /** @description The next login must set a password */
            must_change: boolean;
            second_factor: boolean;
            /** @description How many identities of providers sign in to it */
            identities: number;
            /** @description Whether an import has made it; a restored database does not know */
            imported: boolean;
            /**
             * Format: date-time
             * @description Null before the first login, or the first one since version 0.9.0
             */
            last_login_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        /**
         * @example {
         *       "count": "login",
         *       "username": "ann",
         *       "address": "203.0.113.9",
         *       "used": 3,
         *       "pending": 0,
         *       "attempts": 5,
         *       "blocked_until": null
         *     }
         */
        LoginLimit: {
            /**
             * @description `login_by_email`: one quota with `login` of the account; `device`: a browser that has signed in to it
             * @enum {string}
             */
            count: "login" | "login_by_email" | "device" | "address" | "captcha" | "second_factor" | "client" | "client_address" | "taken_usernames";
            /** @description Where an account that fails has it */
            username: string | null;
            /** @description Of `client` alone: its id, if there is such a client */
            client?: string | null;
            address: string | null;
            used: number;
            /** @description Whose verdict is awaited */
            pending: number;
            /** @description The limit; 0: none */
            attempts: number;
            /** Format: date-time */
            blocked_until: string | null;
        };
        /**
         * @example {
         *       "page": 1,
         *       "limit": 10,
         *       "accounts": {
         *         "total": 1,
         *         "data": [
         *           {
         *             "username": "ann",
         *             "failures": 3,
         *             "locked_until": null
         *           }
         *         ]
         *       },
         *       "counts": {
         *         "total": 1,
         *         "data": [
         *           {
         *             "count": "login",
         *             "username": "ann",
         *             "address": "203.0.113.9",
         *             "used": 3,
         *             "pending": 0,
         *             "attempts": 5,
         *             "blocked_until": null
         *           }
         *         ]
         *       }
         *     }
         */
        LoginLimits: {
            page: number;
            limit: number;
            accounts: {
                total: number;
                data: components["schemas"]["FailingAccount"][];
            };
            counts: {
                /** @description The limits of the last 2,000 attempts: pages end with them */
                total: number;
                data: components["schemas"]["LoginLimit"][];
            };
        };
        /**
         * @example {
         *       "username": "ann",
         *       "password": "gravel-otter-lantern-41"
         *     }
         */
        LoginRequest: {
            /** @description In any case */
            username: string;
            /** Format: password */
            password: string;
            /**
             * @description What to answer; the default depends on the content type
             * @enum {string}
             */
            mode?: "session" | "token" | "pair";
            /** @description The six digits that the authenticator app shows */
            totp?: string;
            /** @description In place of `totp`; each can be used once */
            recovery_code?: string;
            /** @description The solution of a challenge: base64 of JSON, as the widget of ALTCHA sends it */
            captcha?: string;
            /** @description For an account that must change its password */
            new_password?: string;
        };
        /** @example {} */
        LogoutRequest: {
            /** @description Ends as well */
            refresh_token?: string;
        };
        /**
         * @example {
         *       "id": "Zn8xQw2VbTq0yL4sKc7R1A",
         *       "message": "reset",
         *       "kind": "request",
         *       "state": "waiting",
         *       "username": "ann",
         *       "address": "ann@example.org",
         *       "attempts": 1,
         *       "response": "450 4.2.0 Try again later",
         *       "created_at": "2026-03-02T09:40:00.000Z",
         *       "due_at": "2026-03-02T09:40:05.000Z",
         *       "expires_at": "2026-03-02T10:10:00.000Z",
         *       "finished_at": null
         *     }
         */
        Mail: {
            /** @description It stands in the Message-ID too */
            id: string;
            /** @enum {string} */
            message: "sign_in" | "proof" | "sign_up" | "sign_up_exists" | "verification" | "email_change" | "reset" | "invitation" | "new_sign_in" | "password_changed" | "email_changed" | "factor_added" | "factor_removed" | "recovery_codes_renewed" | "recovery_code_used" | "identity_linked" | "identity_unlinked" | "locked" | "deletion_requested" | "deletion_requested_former" | "deletion_cancelled" | "account_deleted" | "test";
            /** @enum {string} */
            kind: "request" | "notice";
            /**
             * @description `dropped`: never sent, for a limit or because no account has the address
             * @enum {string}
             */
            state: "waiting" | "sending" | "sent" | "failed" | "expired" | "cancelled" | "dropped";
            /** @description Of the account that it is for */
            username: string | null;
            /** @description Null after the end, when it is wiped */
            address: string | null;
            attempts: number;
            /** @description What the mail server has said at last */
            response: string | null;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description The next attempt; null after the end
             */
            due_at: string | null;
            /**
             * Format: date-time
             * @description After that it is not sent any more
             */
            expires_at: string;
            /** Format: date-time */
            finished_at: string | null;
        };
        /**
         * @example {
         *       "page": 1,
         *       "limit": 10,
         *       "total": 0,
         *       "data": []
         *     }
         */
        MailPage: {
            page: number;
            limit: number;
            total: number;
            data: components["schemas"]["Mail"][];
        };
        /**
         * @example {
         *       "id": "reset-by-administrator",
         *       "message": "reset",
         *       "kind": "request",
         *       "language": "en",
         *       "subject": "Set a new password",
         *       "text": "An administrator asks you to set a new password.",
         *       "html": "<!doctype html><html lang=\"en\"><body><p>Set a new password.</p></body></html>"
         *     }
         */
        MailPreview: {
            /** @description The message, and the case where there are several */
            id: string;
            /** @enum {string} */
            message: "sign_in" | "proof" | "sign_up" | "sign_up_exists" | "verification" | "email_change" | "reset" | "invitation" | "new_sign_in" | "password_changed" | "email_changed" | "factor_added" | "factor_removed" | "recovery_codes_renewed" | "recovery_code_used" | "identity_linked" | "identity_unlinked" | "locked" | "deletion_requested" | "deletion_requested_former" | "deletion_cancelled" | "account_deleted" | "test";
            /** @enum {string} */
            kind: "request" | "notice";
            /** @enum {string} */
            language: "en" | "de";
            subject: string;
            text: string;
            /** @description A whole document, without scripts, pictures or other addresses */
            html: string;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "reset-by-administrator",
         *           "message": "reset",
         *           "kind": "request"
         *         }
         *       ]
         *     }
         */
        MailPreviewList: {
            data: {
                /** @description The message, and the case where there are several */
                id: string;
                /** @enum {string} */
                message: "sign_in" | "proof" | "sign_up" | "sign_up_exists" | "verification" | "email_change" | "reset" | "invitation" | "new_sign_in" | "password_changed" | "email_changed" | "factor_added" | "factor_removed" | "recovery_codes_renewed" | "recovery_code_used" | "identity_linked" | "identity_unlinked" | "locked" | "deletion_requested" | "deletion_requested_former" | "deletion_cancelled" | "account_deleted" | "test";
                /** @enum {string} */
                kind: "request" | "notice";
            }[];
        };
        /**
         * @example {
         *       "token": "q5Wc1oJ4mN0b7Yt2xR9dEg.wK3n0V8sQxA2mJ6uT4yB1cZ7fH5pLrD9eGiNoSvXaMk"
         *     }
         */
        MailedProof: {
            /** @description Of the link; or else id and code */
            token?: string;
            /** @description Of the answer to the beginning */
            id?: string;
            /** @description Of the mail; spaces do not count */
            code?: string;
        };
        /**
         * @example {
         *       "sub": "7",
         *       "email": "ann@example.org",
         *       "name": "Ann Example",
         *       "roles": [
         *         "USER"
         *       ]
         *     }
         */
        Me: {
            sub: string;
            email: string | null;
            name: string | null;
            roles: components["schemas"]["Role"][];
        };
        /**
         * @example unlock
         * @enum {string}
         */
        Mend: "unlock" | "enable" | "clear_throttle" | "clear_address" | "send_reset" | "set_password" | "remove_second_factor" | "change_roles";
        /**
         * @example {
         *       "message": "Done"
         *     }
         */
        Message: {
            /** @description What was done, for people */
            message: string;
        };
        /**
         * @example {
         *       "username": "ann",
         *       "password": "gravel-otter-lantern-41",
         *       "roles": [
         *         "USER"
         *       ],
         *       "user_id": 7
         *     }
         */
        NewAccount: {
            username: string;
            password: string;
            /** @description USER, EDITOR, ADMIN; a leading ROLE_ is removed */
            roles: string[];
            must_change?: boolean;
            /** @description A user that exists; or else give name and email */
            user_id?: number;
            name?: string;
            /** Format: email */
            email?: string;
        };
        /**
         * @example {
         *       "email": "ann@example.org",
         *       "roles": [
         *         "USER"
         *       ],
         *       "name": "Ann Example"
         *     }
         */
        NewInvitation: {
            /** @description A mail address; its domain may be an international one */
            email: string;
            /** @description USER, EDITOR, ADMIN; a leading ROLE_ is removed */
            roles: string[];
            /** @description Of the person, for the message and the form */
            name?: string;
            /**
             * @description Of the mail; the default is that of the request
             * @enum {string}
             */
            language?: "en" | "de";
        };
        /**
         * @example {
         *       "token": "q5Wc1oJ4mN0b7Yt2xR9dEg.wK3n0V8sQxA2mJ6uT4yB1cZ7fH5pLrD9eGiNoSvXaMk",
         *       "username": "ann",
         *       "name": "Ann Example",
         *       "password": "gravel-otter-lantern-41"
         *     }
         */
        NewOwner: {
            /** @description Of the link; or else id and code */
            token?: string;
            /** @description Of the answer to the beginning */
            id?: string;
            /** @description Of the mail; spaces do not count */
            code?: string;
            username: string;
            name: string;
            password: string;
            /**
             * @description Of the mail; the default is that of the request
             * @enum {string}
             */
            language?: "en" | "de";
        };
        /**
         * @example {
         *       "title": "Hello",
         *       "body": "The first post."
         *     }
         */
        NewPost: {
            title: string;
            body?: string;
        };
        /**
         * @example {
         *       "name": "Ann Example",
         *       "email": "ann@example.org"
         *     }
         */
        NewUser: {
            name: string;
            /** Format: email */
            email: string;
        };
        /**
         * @example {
         *       "url": "https://hr.example.org/gatehouse",
         *       "description": "Leavers lose their accounts",
         *       "events": [
         *         "user_deleted",
         *         "authn_login_lock"
         *       ],
         *       "content": "ids"
         *     }
         */
        NewWebhook: {
            /** @description Where messages are sent to by POST: https, and outside production http to a loopback address */
            url: string;
            description?: string;
            /** @description Types of events, docs/events.md: names, or beginnings of names before a `*`. `*` is all of them; `audit_checkpoint`, each checkpoint of the audit log, is chosen by its name alone */
            events: string[];
            /**
             * @description `ids`: messages hold no usernames, addresses, user agents or texts of the event; `full`: all that the audit log has
             * @enum {string}
             */
            content?: "ids" | "full";
        };
        /**
         * @example {
         *       "type": "password_changed",
         *       "at": "2026-03-02T09:15:00.000Z",
         *       "facts": {
         *         "by": "owner",
         *         "address": "203.0.113.9",
         *         "browser": "Firefox",
         *         "system": "Linux",
         *         "provider": null,
         *         "codes_left": null,
         *         "locked_until": null,
         *         "linked_providers": [
         *           "acme"
         *         ]
         *       }
         *     }
         */
        Notice: {
            /** @enum {string} */
            type: "new_sign_in" | "password_changed" | "email_changed" | "factor_added" | "factor_removed" | "recovery_codes_renewed" | "recovery_code_used" | "identity_linked" | "identity_unlinked" | "locked" | "deletion_requested" | "deletion_cancelled";
            /** Format: date-time */
            at: string;
            facts: components["schemas"]["NoticeFacts"];
        };
        /**
         * @example {
         *       "by": "owner",
         *       "address": "203.0.113.9",
         *       "browser": "Firefox",
         *       "system": "Linux",
         *       "provider": null,
         *       "codes_left": null,
         *       "locked_until": null
         *     }
         */
        NoticeFacts: {
            /** @enum {string} */
            by: "owner" | "administrator" | "operator" | "service";
            /** @description Null if it is not that of the owner */
            address: string | null;
            /** @description Or another program; null: not recognised */
            browser: string | null;
            /** @description Operating system; null: not recognised */
            system: string | null;
            /** @description That was linked or unlinked */
            provider: string | null;
            /** @description Recovery codes that are left */
            codes_left: number | null;
            /** Format: date-time */
            locked_until: string | null;
            /**
             * @description Of a lock by wrong codes of the second factor at a reset
             * @enum {string}
             */
            locked_during?: "reset";
            /** @description After a change of the password: where a sign-in still opens the account */
            linked_providers?: string[];
        };
        /**
         * @example {
         *       "username": "ann",
         *       "password": "amber-violin-thicket-87"
         *     }
         */
        OneTimePassword: {
            username: string;
            /** @description Told once; the next login must set another */
            password: string;
        };
        /**
         * @example {
         *       "openapi": "3.1.0",
         *       "info": {
         *         "title": "Gatehouse",
         *         "version": "1.0.0"
         *       },
         *       "paths": {}
         *     }
         */
        OpenApi: {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "username": "ann",
         *       "roles": [
         *         "USER"
         *       ],
         *       "second_factor": false,
         *       "user": {
         *         "id": 7,
         *         "name": "Ann Example",
         *         "email": "ann@example.org"
         *       },
         *       "created_at": "2026-03-02T09:00:00.000Z"
         *     }
         */
        OwnAccount: {
            username: string;
            roles: components["schemas"]["Role"][];
            second_factor: boolean;
            user: components["schemas"]["User"];
            /** Format: date-time */
            created_at: string;
        };
        /**
         * @example {
         *       "email": "ann@example.org",
         *       "verified_at": "2026-03-02T09:00:00.000Z",
         *       "pending": null,
         *       "undeliverable": false
         *     }
         */
        OwnEmail: {
            /** @description The verified address; null: there is none */
            email: string | null;
            /** Format: date-time */
            verified_at: string | null;
            pending: components["schemas"]["PendingEmail"] | null;
            /** @description The mail server has refused mail to it for good; a new proof clears that */
            undeliverable: boolean;
        };
        /**
         * @example {
         *       "current_password": "gravel-otter-lantern-41",
         *       "new_password": "amber-violin-thicket-87"
         *     }
         */
        PasswordChange: {
            new_password: string;
            /** @description If the account has a password, unless Basic or an enrolment token proves it */
            current_password?: string;
            /** @description If the account has a second factor */
            totp?: string;
            /** @description In place of `totp`; each can be used once */
            recovery_code?: string;
            /** @description The solution of a challenge: base64 of JSON, as the widget of ALTCHA sends it */
            captcha?: string;
        };
        /**
         * @example {
         *       "email": "ann@example.com",
         *       "expires_at": "2026-03-02T10:00:00.000Z"
         *     }
         */
        PendingEmail: {
            email: string;
            /** Format: date-time */
            expires_at: string;
        };
        /**
         * @example {
         *       "exported_at": "2026-03-01T09:30:00.000Z",
         *       "user_id": 7,
         *       "data": {
         *         "user": {
         *           "id": 7,
         *           "name": "Ann Example",
         *           "email": "ann@example.org"
         *         },
         *         "account": {
         *           "username": "ann",
         *           "roles": [
         *             "USER"
         *           ]
         *         },
         *         "sessions": [],
         *         "posts": [],
         *         "audit": []
         *       }
         *     }
         */
        PersonalData: {
            /** Format: date-time */
            exported_at: string;
            user_id: number;
            /** @description Each part is an object, null without one, or a list; further parts may be added. */
            data: {
                user: {
                    [key: string]: unknown;
                } | null;
                account: {
                    [key: string]: unknown;
                } | null;
                sessions: {
                    [key: string]: unknown;
                }[];
                posts: {
                    [key: string]: unknown;
                }[];
                audit: {
                    [key: string]: unknown;
                }[];
            } & {
                [key: string]: unknown;
            };
        };
        /**
         * @example {
         *       "id": 12,
         *       "title": "Hello",
         *       "body": "The first post.",
         *       "author_id": 7,
         *       "author": "ann",
         *       "locked": false,
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "updated_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        Post: {
            id: number;
            title: string;
            body: string;
            /** @description Null once the user is gone */
            author_id: number | null;
            /** @description Username; null where there is no account */
            author: string | null;
            /** @description Only the author can change a locked post */
            locked: boolean;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description Of the last change of title or body
             */
            updated_at: string;
        };
        /**
         * @example {
         *       "title": "Hello"
         *     }
         */
        PostChanges: {
            title?: string;
            body?: string;
        };
        /**
         * @example {
         *       "page": 1,
         *       "limit": 10,
         *       "total": 1,
         *       "data": [
         *         {
         *           "id": 12,
         *           "title": "Hello",
         *           "body": "The first post.",
         *           "author_id": 7,
         *           "author": "ann",
         *           "locked": false,
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "updated_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ]
         *     }
         */
        PostPage: {
            page: number;
            limit: number;
            /** @description Count of all posts */
            total: number;
            data: components["schemas"]["Post"][];
        };
        /**
         * @description What the account has
         * @example {
         *       "current_password": "gravel-otter-lantern-41"
         *     }
         */
        Proofs: {
            /** @description If the account has a password, unless Basic or an enrolment token proves it */
            current_password?: string;
            /** @description If the account has a second factor */
            totp?: string;
            /** @description In place of `totp`; each can be used once */
            recovery_code?: string;
            /** @description The solution of a challenge: base64 of JSON, as the widget of ALTCHA sends it */
            captcha?: string;
        };
        /**
         * @description `token`; or `username`, whose login is asked about, or with `route` the request; or `text`
         * @example {
         *       "username": "ann",
         *       "route": "PUT /users/7"
         *     }
         */
        Question: {
            /** @description What was typed into one field: a token, a username, a verified mail address, or an X-Request-Id */
            text?: string;
            /** @description A token of any kind */
            token?: string;
            username?: string;
            /** @description Method and path: `PUT /users/7` */
            route?: string;
        };
        /**
         * @example {
         *       "status": "ready"
         *     }
         */
        Readiness: {
            status: string;
            /** @description What an operator should look at; absent if there is nothing */
            warnings?: ("clock_set_back" | "backup_failed" | "backup_late")[];
        };
        /**
         * @example {
         *       "recovery_codes": [
         *         "KQ7M-3XHD-HT2W-5RNA",
         *         "P6DV-ZLCE-2MYB-T4QJ"
         *       ]
         *     }
         */
        RecoveryCodes: {
            /** @description Ten codes, told once; each replaces a code of the app once */
            recovery_codes: string[];
        };
        /**
         * @example {
         *       "refresh_token": "eyJhbGciOiJIUzI1NiIsImtpZCI6IjJhIn0.eyJzdWIiOiI3In0.c2lnbmF0dXJl"
         *     }
         */
        RefreshRequest: {
            refresh_token: string;
        };
        /**
         * @example {
         *       "access_token": "eyJhbGciOiJSUzI1NiIsImtpZCI6IjFmIn0.eyJzdWIiOiI3In0.c2lnbmF0dXJl",
         *       "token_type": "Bearer",
         *       "expires_in": 900
         *     }
         */
        RefreshedToken: {
            access_token: string;
            /** @description With REFRESH_ROTATION=on */
            refresh_token?: string;
            /** @constant */
            token_type: "Bearer";
            /** @description Seconds */
            expires_in: number;
        };
        /**
         * @example {
         *       "id": "Zk3vQ1xw-2f",
         *       "at": "2026-03-02T09:00:00.000Z",
         *       "status": 401,
         *       "error": "Invalid credentials",
         *       "method": "POST",
         *       "route": "/login",
         *       "code": "account_locked",
         *       "guard": "account",
         *       "explanation": "An administrator has locked the account.",
         *       "facts": {
         *         "user_id": 2,
         *         "asked_of": "login"
         *       },
         *       "scheme": null,
         *       "subject": "2",
         *       "username": "ann",
         *       "address": "203.0.113.7",
         *       "mends": [
         *         "unlock"
         *       ]
         *     }
         */
        Refusal: {
            id: string;
            /** Format: date-time */
            at: string;
            status: number;
            /** @description The text that the client saw */
            error: string;
            method: string;
            /** @description The pattern; null for an unknown path */
            route: string | null;
            /** @description Never renamed */
            code: string;
            /** @description The part of the service that refused */
            guard: string;
            explanation: string;
            /** @description By the code: see docs/explain.md. Times are ISO 8601. */
            facts: {
                [key: string]: unknown;
            };
            /** @description By which the caller had authenticated */
            scheme: string | null;
            /** @description The user concerned, otherwise the caller */
            subject: string | null;
            /** @description Of the subject, as it is now */
            username: string | null;
            address: string;
            /** @description What an administrator can do about it now, the first being the one to try first: docs/explain.md has the request of each */
            mends: components["schemas"]["Mend"][];
        };
        /**
         * @example {
         *       "repeated": 12,
         *       "next": null
         *     }
         */
        RepeatedWebhookDeliveries: {
            repeated: number;
            /** @description One request repeats 10,000 at most: `after` of the next one; null at the end */
            next: number | null;
        };
        /**
         * @example {
         *       "username": "ann"
         *     }
         */
        Reset: {
            /** @description The verified address. A mail address; its domain may be an international one */
            email?: string;
            username?: string;
            /**
             * @description Of the mail, if the account has none
             * @enum {string}
             */
            language?: "en" | "de";
        };
        /**
         * @example USER
         * @enum {string}
         */
        Role: "USER" | "EDITOR" | "ADMIN";
        /**
         * @example {
         *       "purpose": "signing",
         *       "at_once": false
         *     }
         */
        RotateKey: {
            /**
             * @description `signing`: access tokens; `refresh`: refresh tokens, which only this service reads
             * @default signing
             * @enum {string}
             */
            purpose: "signing" | "refresh";
            /**
             * @description For a key that leaked: the new one signs in 3 seconds, and the old one can be retired then. Services that keep the public keys may refuse tokens of the new one for 5 minutes
             * @default false
             */
            at_once: boolean;
        };
        /**
         * @example {
         *       "kid": "q3Rk0ZtBxW5vKp2m",
         *       "purpose": "signing",
         *       "before": "5vKp2mQwXb3nTz8h",
         *       "signs_from": "2026-03-02T08:10:00.000Z"
         *     }
         */
        RotatedKey: {
            /** @description Of the new key */
            kid: string;
            /**
             * @description `signing`: access tokens; `refresh`: refresh tokens, which only this service reads
             * @enum {string}
             */
            purpose: "signing" | "refresh";
            /** @description The key that signed until now, and still verifies */
            before: string;
            /**
             * Format: date-time
             * @description When the new one begins to sign; null: in 3 seconds
             */
            signs_from: string | null;
        };
        /**
         * @description One of the two
         * @example {
         *       "totp": "492039"
         *     }
         */
        SecondFactorProof: {
            /** @description The six digits that the authenticator app shows */
            totp?: string;
            /** @description In place of `totp`; each can be used once */
            recovery_code?: string;
        };
        /**
         * @example {
         *       "error": "Second factor required",
         *       "second_factor": "totp"
         *     }
         */
        SecondFactorRequired: {
            /** @constant */
            error: "Second factor required";
            /**
             * @description Which field the request lacks
             * @constant
             */
            second_factor: "totp";
        };
        /**
         * @example {
         *       "status": "ok",
         *       "service": "gatehouse",
         *       "versions": [
         *         "v1",
         *         "v2"
         *       ]
         *     }
         */
        ServiceStatus: {
            status: string;
            service: string;
            versions: string[];
        };
        /**
         * @example {
         *       "id": "mZ1c0GQ2n5v8y3b6",
         *       "current": true,
         *       "created_at": "2026-03-02T09:15:00.000Z",
         *       "last_seen_at": "2026-03-02T09:30:00.000Z",
         *       "address": "203.0.113.9",
         *       "user_agent": "Mozilla/5.0"
         *     }
         */
        Session: {
            /** @description A name for it, and not the cookie */
            id: string;
            /** @description Whether this request came with it */
            current: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_seen_at: string;
            /** @description Of the client at the login */
            address: string;
            user_agent: string;
        };
        /**
         * @example {
         *       "name": "PORT",
         *       "value": "8080",
         *       "default": "3000",
         *       "source": "environment",
         *       "file": null,
         *       "is_secret": false,
         *       "is_set": true,
         *       "description": "Port to listen on."
         *     }
         */
        SettingInForce: {
            name: string;
            /** @description As it was written, or the default; null: a secret, or nothing is set and nothing is the default */
            value: string | null;
            /** @description The value if it is not set, or what happens then, in words */
            default: string;
            /**
             * @description `file`: the one that NAME_FILE names
             * @enum {string}
             */
            source: "default" | "environment" | "file";
            /** @description The path of that file */
            file: string | null;
            /** @description Its value is never shown */
            is_secret: boolean;
            is_set: boolean;
            description: string;
        };
        /**
         * @example {
         *       "data": []
         *     }
         */
        SettingsList: {
            data: components["schemas"]["SettingInForce"][];
        };
        /**
         * @example {
         *       "email": "ann@example.org"
         *     }
         */
        SignInCode: {
            /** @description The verified address of an account */
            email: string;
            /**
             * @description Of the mail, if the account has none
             * @enum {string}
             */
            language?: "en" | "de";
        };
        /**
         * @example {
         *       "csrf_token": "f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0"
         *     }
         */
        SignOutForm: {
            /** @description The CSRF token of the session, if there is one */
            csrf_token?: string;
        };
        /**
         * @example {
         *       "email": "ann@example.org"
         *     }
         */
        SignUp: {
            /** @description A mail address; its domain may be an international one */
            email: string;
            /**
             * @description Of the mail; the default is that of the request
             * @enum {string}
             */
            language?: "en" | "de";
        };
        /**
         * @example {
         *       "message": "Logged in",
         *       "csrf_token": "f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0"
         *     }
         */
        StartedSession: {
            message: string;
            /** @description To be sent as X-CSRF-Token */
            csrf_token: string;
        };
        /**
         * @example {
         *       "version": "1.0.0",
         *       "started_at": "2026-03-02T08:00:00.000Z",
         *       "uptime_seconds": 5400,
         *       "users": 8,
         *       "accounts": {
         *         "total": 7,
         *         "by_role": {
         *           "USER": 1,
         *           "EDITOR": 1,
         *           "ADMIN": 1
         *         },
         *         "locked": 0,
         *         "disabled": 0,
         *         "second_factor": 2,
         *         "must_change": 1
         *       },
         *       "posts": 12,
         *       "sessions": 3,
         *       "blocked": {
         *         "logins": 0,
         *         "addresses": 0,
         *         "accounts": 0
         *       }
         *     }
         */
        Statistics: {
            version: string;
            /**
             * Format: date-time
             * @description Of the process that answers
             */
            started_at: string;
            uptime_seconds: number;
            users: number;
            accounts: {
                total: number;
                by_role: {
                    USER: number;
                    EDITOR: number;
                    ADMIN: number;
                };
                /** @description By an administrator */
                locked: number;
                disabled: number;
                second_factor: number;
                must_change: number;
            };
            posts: number;
            /** @description Live ones */
            sessions: number;
            /** @description Usernames at an address, addresses, and accounts by the automatic lock */
            blocked: {
                logins: number;
                addresses: number;
                accounts: number;
            };
        };
        /**
         * @example {
         *       "step_seconds": 3600,
         *       "from": "2026-03-02T08:00:00.000Z",
         *       "to": "2026-03-02T10:00:00.000Z",
         *       "since": "2026-03-01T10:00:00.000Z",
         *       "times": [
         *         1772438400,
         *         1772442000
         *       ],
         *       "series": [
         *         {
         *           "name": "logins",
         *           "labels": {
         *             "method": "password",
         *             "result": "success"
         *           },
         *           "values": [
         *             3,
         *             5
         *           ]
         *         }
         *       ]
         *     }
         */
        StatisticsSeries: {
            /** @enum {integer} */
            step_seconds: 60 | 3600;
            /**
             * Format: date-time
             * @description The beginning of the first bucket
             */
            from: string;
            /**
             * Format: date-time
             * @description The end of the last bucket, which may lie ahead
             */
            to: string;
            /**
             * Format: date-time
             * @description The beginning of the first bucket in which anything was counted: before it is not known. Null: nothing was counted yet
             */
            since: string | null;
            /** @description The beginning of each bucket, in seconds since 1970: what plots take */
            times: number[];
            /** @description Those that are usual, and others in which something was counted: docs/statistics.md */
            series: components["schemas"]["StatisticsSeriesValues"][];
        };
        /**
         * @example {
         *       "name": "logins",
         *       "labels": {
         *         "method": "password",
         *         "result": "success"
         *       },
         *       "values": [
         *         3,
         *         5
         *       ]
         *     }
         */
        StatisticsSeriesValues: {
            /** @enum {string} */
            name: "throttled" | "accounts_created" | "account_lockouts" | "sessions_started" | "tokens_issued" | "logins" | "second_factor" | "mails" | "webhooks" | "requests" | "refusals" | "lost_counts";
            /** @description The values of its labels, by their names */
            labels: {
                [key: string]: string;
            };
            /** @description How often it happened in each bucket, in the order of `times` */
            values: number[];
        };
        /**
         * @example {
         *       "kid": "5vKp2mQwXb3nTz8h",
         *       "purpose": "signing",
         *       "algorithm": "RS256",
         *       "state": "verifies",
         *       "configured": false,
         *       "created_at": "2026-01-02T08:00:00.000Z",
         *       "signs_from": "2026-01-02T08:10:00.000Z",
         *       "verifies_until": "2026-03-02T08:21:00.000Z",
         *       "can_retire": true
         *     }
         */
        StoredKey: {
            /** @description As in the header of its tokens */
            kid: string;
            /**
             * @description `data`: encrypts stored secrets, and is never replaced
             * @enum {string}
             */
            purpose: "signing" | "refresh" | "data";
            algorithm: string;
            /**
             * @description `published`: signs later; `verifies`: tokens that it signed are still accepted
             * @enum {string}
             */
            state: "signs" | "published" | "verifies" | "ended" | "encrypts";
            /** @description TOKEN_SECRET or TOKEN_PRIVATE_KEY, which can only be replaced there */
            configured: boolean;
            /**
             * Format: date-time
             * @description Null for a configured key
             */
            created_at: string | null;
            /**
             * Format: date-time
             * @description Null: since it was made
             */
            signs_from: string | null;
            /**
             * Format: date-time
             * @description Null: until it is replaced
             */
            verifies_until: string | null;
            /** @description Whether it can be ended now */
            can_retire: boolean;
        };
        /**
         * @example {
         *       "address": "postmaster@example.org"
         *     }
         */
        TestMail: {
            /** @description A mail address */
            address: string;
            /** @enum {string} */
            language?: "en" | "de";
        };
        /**
         * @example {
         *       "access_token": "eyJhbGciOiJSUzI1NiIsImtpZCI6IjFmIn0.eyJzdWIiOiI3In0.c2lnbmF0dXJl",
         *       "refresh_token": "eyJhbGciOiJIUzI1NiIsImtpZCI6IjJhIn0.eyJzdWIiOiI3In0.c2lnbmF0dXJl",
         *       "token_type": "Bearer",
         *       "expires_in": 900
         *     }
         */
        TokenPair: {
            access_token: string;
            refresh_token: string;
            /** @constant */
            token_type: "Bearer";
            /** @description Seconds */
            expires_in: number;
        };
        /**
         * @example {
         *       "token": "eyJhbGciOiJSUzI1NiIsImtpZCI6Ik1tWmcifQ.eyJzdWIiOiI3In0.Q2hGcA"
         *     }
         */
        TokenParameters: {
            token: string;
            /** @description `access_token` or `refresh_token`; ignored, since each token shows its type */
            token_type_hint?: string;
        };
        /**
         * @description Either `token`, or `jti` and `exp`
         * @example {
         *       "token": "eyJhbGciOiJSUzI1NiIsImtpZCI6IjFmIn0.eyJzdWIiOiI3In0.c2lnbmF0dXJl"
         *     }
         */
        TokenRevocation: {
            /** @description An access token or a refresh token */
            token?: string;
            jti?: string;
            /** @description Of the access token with this jti, in seconds: until then it stays revoked */
            exp?: number;
        };
        /**
         * @example {
         *       "totp": "492039"
         *     }
         */
        TotpCode: {
            /** @description The six digits that the authenticator app shows */
            totp: string;
        };
        /**
         * @example {
         *       "secret": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
         *       "uri": "otpauth://totp/Gatehouse:ann?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Gatehouse",
         *       "qr": "<svg xmlns=\"http://www.w3.org/2000/svg\">…</svg>"
         *     }
         */
        TotpEnrolment: {
            /** @description Base32 */
            secret: string;
            /** @description otpauth://totp/... */
            uri: string;
            /** @description The address as a QR code: SVG text */
            qr: string;
        };
        /**
         * @description Any JSON; it is not read
         * @example {
         *       "to": "bea",
         *       "amount": 10
         *     }
         */
        Transfer: {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "name": "logins",
         *       "labels": {
         *         "method": "password",
         *         "result": "refused"
         *       },
         *       "count": 240,
         *       "usual": 11,
         *       "days": 14
         *     }
         */
        UnusualSeries: {
            /** @description A series of /api/admin/statistics/series */
            name: string;
            labels: {
                [key: string]: string;
            };
            /** @description In the last 60 minutes */
            count: number;
            /** @description The median of the same hour of the days before */
            usual: number;
            /** @description How many days were compared */
            days: number;
        };
        /**
         * @example {
         *       "id": 7,
         *       "name": "Ann Example",
         *       "email": "ann@example.org"
         *     }
         */
        User: {
            id: number;
            name: string;
            email: string;
        };
        /**
         * @example {
         *       "email": "ann@example.org"
         *     }
         */
        UserChanges: {
            name?: string;
            /** Format: email */
            email?: string;
        };
        /**
         * @example {
         *       "page": 1,
         *       "limit": 10,
         *       "total": 1,
         *       "data": [
         *         {
         *           "id": 7,
         *           "name": "Ann Example",
         *           "email": "ann@example.org"
         *         }
         *       ]
         *     }
         */
        UserPage: {
            page: number;
            limit: number;
            /** @description Count of all users */
            total: number;
            data: components["schemas"]["User"][];
        };
        /**
         * @example {
         *       "page": 1,
         *       "limit": 10,
         *       "total": 1,
         *       "data": [
         *         {
         *           "id": 7,
         *           "name": "Ann Example",
         *           "email": "ann@example.org"
         *         }
         *       ],
         *       "next": null
         *     }
         */
        UserPageV2: {
            page: number;
            limit: number;
            /** @description Count of all users; of those that `q` finds the exact count up to 1,000, and 1,001 where there are more */
            total: number;
            data: components["schemas"]["User"][];
            /** @description The `cursor` of what follows; null at the end */
            next: string | null;
        };
        /**
         * @example {
         *       "error": "Validation failed",
         *       "details": [
         *         {
         *           "path": [
         *             "email"
         *           ],
         *           "message": "must be an e-mail address"
         *         }
         *       ]
         *     }
         */
        ValidationError: {
            /** @description What is wrong: one text for each error */
            error: string;
            details: components["schemas"]["ErrorDetail"][];
        };
        /**
         * @example {
         *       "email": "ann@example.com",
         *       "current_password": "gravel-otter-lantern-41"
         *     }
         */
        WantedEmail: {
            /** @description A mail address; its domain may be an international one */
            email: string;
            /** @description If the account has a password, unless Basic or an enrolment token proves it */
            current_password?: string;
            /** @description If the account has a second factor */
            totp?: string;
            /** @description In place of `totp`; each can be used once */
            recovery_code?: string;
            /** @description The solution of a challenge: base64 of JSON, as the widget of ALTCHA sends it */
            captcha?: string;
        };
        /**
         * @example {
         *       "language": "de"
         *     }
         */
        WantedLanguage: {
            /** @description null: that of the browser */
            language: ("en" | "de") | null;
        };
        /**
         * @example {
         *       "id": "01KAYQ3V6E8X7N5T2R9W0ZB4CD",
         *       "url": "https://hr.example.org/gatehouse",
         *       "description": "Leavers lose their accounts",
         *       "events": [
         *         "user_deleted",
         *         "authn_login_lock"
         *       ],
         *       "content": "ids",
         *       "state": "enabled",
         *       "previous_secret_until": null,
         *       "created_at": "2026-03-02T08:15:30.000Z",
         *       "updated_at": "2026-03-02T08:15:30.000Z",
         *       "health": {
         *         "failing_since": null,
         *         "succeeded_at": "2026-03-02T09:40:00.000Z",
         *         "status": 204
         *       }
         *     }
         */
        Webhook: {
            id: string;
            url: string;
            description: string;
            events: string[];
            /**
             * @description `ids`: messages hold no usernames, addresses, user agents or texts of the event; `full`: all that the audit log has
             * @enum {string}
             */
            content: "ids" | "full";
            /**
             * @description `failed`: disabled by the service, because it took nothing for days or is gone
             * @enum {string}
             */
            state: "enabled" | "disabled" | "failed";
            /**
             * Format: date-time
             * @description Until then messages are signed with the secret before as well
             */
            previous_secret_until: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description How it answers; it is no part of what the ETag says */
            health: {
                /**
                 * Format: date-time
                 * @description The first failure since the last success
                 */
                failing_since: string | null;
                /** Format: date-time */
                succeeded_at: string | null;
                /** @description Of the last answer; null if there was none */
                status: number | null;
            };
        };
        /**
         * @example {
         *       "state": "disabled"
         *     }
         */
        WebhookChanges: {
            /** @description Where messages are sent to by POST: https, and outside production http to a loopback address */
            url?: string;
            description?: string;
            /** @description Types of events, docs/events.md: names, or beginnings of names before a `*`. `*` is all of them; `audit_checkpoint`, each checkpoint of the audit log, is chosen by its name alone */
            events?: string[];
            /**
             * @description `ids`: messages hold no usernames, addresses, user agents or texts of the event; `full`: all that the audit log has
             * @enum {string}
             */
            content?: "ids" | "full";
            /**
             * @description While it is disabled, nothing is sent, and events are not kept for it
             * @enum {string}
             */
            state?: "enabled" | "disabled";
        };
        /**
         * @example {
         *       "id": 4711,
         *       "webhook": "01KAYQ3V6E8X7N5T2R9W0ZB4CD",
         *       "message": "01KAYQ7T9M1D4H6J8K0M2N4P6Q",
         *       "type": "user_deleted",
         *       "state": "waiting",
         *       "attempts": 2,
         *       "status": 503,
         *       "detail": "the answer was 503",
         *       "at": "2026-03-02T09:40:00.000Z",
         *       "created_at": "2026-03-02T09:40:00.120Z",
         *       "due_at": "2026-03-02T09:45:11.000Z",
         *       "finished_at": null
         *     }
         */
        WebhookDelivery: {
            id: number;
            /** @description The id of the webhook */
            webhook: string;
            /** @description The `webhook-id` of all its attempts */
            message: string;
            /** @description The type of the event */
            type: string;
            /**
             * @description `failed`: given up; `cancelled`: there is nothing to send any more
             * @enum {string}
             */
            state: "waiting" | "delivered" | "failed" | "cancelled";
            attempts: number;
            /** @description Of the last answer; null if there was none */
            status: number | null;
            /** @description Why the last attempt failed */
            detail: string | null;
            /**
             * Format: date-time
             * @description When the event was
             */
            at: string;
            /**
             * Format: date-time
             * @description When it began to wait for this webhook
             */
            created_at: string;
            /**
             * Format: date-time
             * @description The next attempt; null after the end
             */
            due_at: string | null;
            /** Format: date-time */
            finished_at: string | null;
        };
        /**
         * @example {
         *       "limit": 10,
         *       "data": [
         *         {
         *           "id": 4711,
         *           "webhook": "01KAYQ3V6E8X7N5T2R9W0ZB4CD",
         *           "message": "01KAYQ7T9M1D4H6J8K0M2N4P6Q",
         *           "type": "user_deleted",
         *           "state": "waiting",
         *           "attempts": 2,
         *           "status": 503,
         *           "detail": "the answer was 503",
         *           "at": "2026-03-02T09:40:00.000Z",
         *           "created_at": "2026-03-02T09:40:00.120Z",
         *           "due_at": "2026-03-02T09:45:11.000Z",
         *           "finished_at": null
         *         }
         *       ],
         *       "next": null
         *     }
         */
        WebhookDeliveryPage: {
            limit: number;
            data: components["schemas"]["WebhookDelivery"][];
            /** @description The `cursor` of older deliveries; null at the end. A page looks through 20,000 at most, so that one with filters may be empty and have a `next` */
            next: string | null;
        };
        /**
         * @example {
         *       "id": 4711,
         *       "webhook": "01KAYQ3V6E8X7N5T2R9W0ZB4CD",
         *       "message": "01KAYQ7T9M1D4H6J8K0M2N4P6Q",
         *       "type": "user_deleted",
         *       "state": "waiting",
         *       "attempts": 2,
         *       "status": 503,
         *       "detail": "the answer was 503",
         *       "at": "2026-03-02T09:40:00.000Z",
         *       "created_at": "2026-03-02T09:40:00.120Z",
         *       "due_at": "2026-03-02T09:45:11.000Z",
         *       "finished_at": null,
         *       "answer": "upstream is down"
         *     }
         */
        WebhookDeliveryWithAnswer: {
            id: number;
            /** @description The id of the webhook */
            webhook: string;
            /** @description The `webhook-id` of all its attempts */
            message: string;
            /** @description The type of the event */
            type: string;
            /**
             * @description `failed`: given up; `cancelled`: there is nothing to send any more
             * @enum {string}
             */
            state: "waiting" | "delivered" | "failed" | "cancelled";
            attempts: number;
            /** @description Of the last answer; null if there was none */
            status: number | null;
            /** @description Why the last attempt failed */
            detail: string | null;
            /**
             * Format: date-time
             * @description When the event was
             */
            at: string;
            /**
             * Format: date-time
             * @description When it began to wait for this webhook
             */
            created_at: string;
            /**
             * Format: date-time
             * @description The next attempt; null after the end
             */
            due_at: string | null;
            /** Format: date-time */
            finished_at: string | null;
            /** @description What the receiver said when it refused the last attempt, cut at 4 KiB; a text of others */
            answer: string | null;
        };
        /**
         * @example {
         *       "page": 1,
         *       "limit": 10,
         *       "total": 1,
         *       "data": [
         *         {
         *           "id": "01KAYQ3V6E8X7N5T2R9W0ZB4CD",
         *           "url": "https://hr.example.org/gatehouse",
         *           "description": "Leavers lose their accounts",
         *           "events": [
         *             "user_deleted",
         *             "authn_login_lock"
         *           ],
         *           "content": "ids",
         *           "state": "enabled",
         *           "previous_secret_until": null,
         *           "created_at": "2026-03-02T08:15:30.000Z",
         *           "updated_at": "2026-03-02T08:15:30.000Z",
         *           "health": {
         *             "failing_since": null,
         *             "succeeded_at": "2026-03-02T09:40:00.000Z",
         *             "status": 204
         *           }
         *         }
         *       ]
         *     }
         */
        WebhookPage: {
            page: number;
            limit: number;
            /** @description How many webhooks there are */
            total: number;
            data: components["schemas"]["Webhook"][];
        };
        /**
         * @example {
         *       "state": "failed",
         *       "since": "2026-03-01T00:00:00Z"
         *     }
         */
        WebhookRepetition: {
            /**
             * @default failed
             * @enum {string}
             */
            state: "failed" | "delivered" | "cancelled";
            /** @description The type of the event */
            type?: string;
            /**
             * Format: date-time
             * @description Events from this time on
             */
            since?: string;
            /**
             * Format: date-time
             * @description Events before this time
             */
            until?: string;
            /** @description The `next` of the answer before, with the same filters */
            after?: number;
        };
        /**
         * @example {
         *       "id": "01KAYQ3V6E8X7N5T2R9W0ZB4CD",
         *       "url": "https://hr.example.org/gatehouse",
         *       "description": "Leavers lose their accounts",
         *       "events": [
         *         "user_deleted",
         *         "authn_login_lock"
         *       ],
         *       "content": "ids",
         *       "state": "enabled",
         *       "previous_secret_until": null,
         *       "created_at": "2026-03-02T08:15:30.000Z",
         *       "updated_at": "2026-03-02T08:15:30.000Z",
         *       "health": {
         *         "failing_since": null,
         *         "succeeded_at": "2026-03-02T09:40:00.000Z",
         *         "status": 204
         *       },
         *       "secret": "whsec_vJCVaKLmxyZQ9SFBl3Tz3gWmm5wKXLn8s3iWmcbkCd0="
         *     }
         */
        WebhookWithSecret: {
            id: string;
            url: string;
            description: string;
            events: string[];
            /**
             * @description `ids`: messages hold no usernames, addresses, user agents or texts of the event; `full`: all that the audit log has
             * @enum {string}
             */
            content: "ids" | "full";
            /**
             * @description `failed`: disabled by the service, because it took nothing for days or is gone
             * @enum {string}
             */
            state: "enabled" | "disabled" | "failed";
            /**
             * Format: date-time
             * @description Until then messages are signed with the secret before as well
             */
            previous_secret_until: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description How it answers; it is no part of what the ETag says */
            health: {
                /**
                 * Format: date-time
                 * @description The first failure since the last success
                 */
                failing_since: string | null;
                /** Format: date-time */
                succeeded_at: string | null;
                /** @description Of the last answer; null if there was none */
                status: number | null;
            };
            /** @description By which the receiver verifies messages; shown this once */
            secret: string;
        };
    };
    responses: {
        /** @description Access denied */
        AccessDenied: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Access denied · CSRF token invalid */
        AccessDenied_CsrfTokenInvalid: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Access denied · CSRF token invalid */
        AccessDenied_CsrfTokenInvalid_OrPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                /** @example <!doctype html>… */
                "text/html": string;
            };
        };
        /** @description Access denied */
        AccessDenied_OrPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                /** @example <!doctype html>… */
                "text/html": string;
            };
        };
        /** @description Access denied · Password change required · Second factor enrolment required */
        AccessDenied_PasswordChangeRequired_EnrolmentRequired: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] | components["schemas"]["EnrolmentRequired"];
            };
        };
        /** @description Access denied · Password change required · Second factor enrolment required */
        AccessDenied_PasswordChangeRequired_EnrolmentRequired_OrPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] | components["schemas"]["EnrolmentRequired"];
                /** @example <!doctype html>… */
                "text/html": string;
            };
        };
        /** @description Access denied · Password change required · Second factor enrolment required */
        AccessDenied_PasswordChangeRequired_EnrolmentRequired_WithCookie_OrPage: {
            headers: {
                "Set-Cookie": components["headers"]["Set-Cookie"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] | components["schemas"]["EnrolmentRequired"];
                /** @example <!doctype html>… */
                "text/html": string;
            };
        };
        /** @description Access denied · Sign-up is off */
        AccessDenied_SignUpOff: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Account not found */
        AccountNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Account not found · Identity not found */
        AccountNotFound_IdentityNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Account not found · Refusal not found */
        AccountNotFound_RefusalNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Account not found · Second factor not found */
        AccountNotFound_SecondFactorNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Account not found · Session not found */
        AccountNotFound_SessionNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Bad request · Request timeout · Request body too large · Expectation failed · Request header fields too large · Internal server error · Service unavailable */
        AnyOperation: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] | components["schemas"]["InternalError"];
            };
        };
        /** @description Bad request · Request timeout · Request body too large · Expectation failed · Request header fields too large · Internal server error · Service unavailable */
        AnyOperation_OrPage: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] | components["schemas"]["InternalError"];
                /** @example <!doctype html>… */
                "text/html": string;
            };
        };
        /** @description Authentication required · Invalid credentials · Invalid or expired token · Captcha required · Recent login required · Confirmation required */
        AuthenticationRequired_InvalidCredentials_InvalidOrExpiredToken_CaptchaRequired_RecentLoginRequired_ConfirmationRequired: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] | components["schemas"]["CaptchaRequired"] | components["schemas"]["ConfirmationRequired"];
            };
        };
        /** @description Authentication required · Invalid credentials · Invalid or expired token · Recent login required */
        AuthenticationRequired_InvalidCredentials_InvalidOrExpiredToken_RecentLoginRequired: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Authentication required · Invalid or expired token */
        AuthenticationRequired_InvalidOrExpiredToken: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Authentication required · Invalid or expired token */
        AuthenticationRequired_InvalidOrExpiredToken_OrSignIn_OrPage: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                Location: components["headers"]["Location_OfSignIn"];
                "Set-Cookie": components["headers"]["Set-Cookie"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                /** @example <!doctype html>… */
                "text/html": string;
            };
        };
        /** @description Authentication required · Invalid or expired token · Recent login required */
        AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Authentication required */
        AuthenticationRequired_WithoutChallenge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Bad request · Invalid request body */
        BadRequest_InvalidBody: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Bad request · Invalid request body · Name and email required · Validation failed */
        BadRequest_InvalidBody_NameAndEmailRequired_ValidationFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] | components["schemas"]["ValidationError"];
            };
        };
        /** @description Bad request · Invalid request body · Validation failed */
        BadRequest_InvalidBody_ValidationFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] | components["schemas"]["ValidationError"];
            };
        };
        /** @description Bad request · Invalid request body · Validation failed · Invalid or expired code */
        BadRequest_InvalidBody_ValidationFailed_ConfirmationInvalid: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] | components["schemas"]["ValidationError"];
            };
        };
        /** @description Bad request · Invalid request body · Validation failed */
        BadRequest_InvalidBody_ValidationFailed_OrPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] | components["schemas"]["ValidationError"];
                /** @example <!doctype html>… */
                "text/html": string;
            };
        };
        /** @description Bad request · Invalid request body · Validation failed · Sign-in failed */
        BadRequest_InvalidBody_ValidationFailed_SignInFailed_OrPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] | components["schemas"]["ValidationError"];
                /** @example <!doctype html>… */
                "text/html": string;
            };
        };
        /** @description Bad request · invalid_request */
        BadRequest_InvalidRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Bad request */
        BadRequest_OrPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                /** @example <!doctype html>… */
                "text/html": string;
            };
        };
        /** @description Bad request · Sign-in failed */
        BadRequest_SignInFailed_OrPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                /** @example <!doctype html>… */
                "text/html": string;
            };
        };
        /** @description Bad request · Validation failed */
        BadRequest_ValidationFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] | components["schemas"]["ValidationError"];
            };
        };
        /** @description Request body too large */
        BodyTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Request body too large */
        BodyTooLarge_OrPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                /** @example <!doctype html>… */
                "text/html": string;
            };
        };
        /** @description CSRF token invalid */
        CsrfTokenInvalid: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Email already in use */
        EmailExists: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Email already in use · No verified email · Account locked or disabled */
        EmailExists_EmailNotVerified_AccountUnusable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Email already in use · Invitation already closed */
        EmailExists_InvitationClosed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description No verified email */
        EmailNotVerified: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Idempotency key reused */
        IdempotencyKeyReused: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Identity already linked */
        IdentityLinked_OrPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                /** @example <!doctype html>… */
                "text/html": string;
            };
        };
        /** @description Identity provider error */
        IdentityProvider: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Identity provider error */
        IdentityProvider_OrPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                /** @example <!doctype html>… */
                "text/html": string;
            };
        };
        /** @description invalid_client */
        InvalidClient: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Invalid credentials · Captcha required · Second factor required */
        InvalidCredentials_CaptchaRequired_SecondFactorRequired: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] | components["schemas"]["CaptchaRequired"] | components["schemas"]["SecondFactorRequired"];
            };
        };
        /** @description Invalid credentials · Second factor required */
        InvalidCredentials_SecondFactorRequired: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] | components["schemas"]["SecondFactorRequired"];
            };
        };
        /** @description Invalid credentials · Second factor required */
        InvalidCredentials_SecondFactorRequired_OrPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] | components["schemas"]["SecondFactorRequired"];
                /** @example <!doctype html>… */
                "text/html": string;
            };
        };
        /** @description Invalid credentials */
        InvalidCredentials_WithCookie_OrPage: {
            headers: {
                "Set-Cookie": components["headers"]["Set-Cookie"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                /** @example <!doctype html>… */
                "text/html": string;
            };
        };
        /** @description Invalid refresh token */
        InvalidRefreshToken: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Invitation already closed */
        InvitationClosed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Invitation not found */
        InvitationNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Key not found */
        KeyNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Key cannot be replaced here */
        KeyNotReplaced: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Key still signs */
        KeySigns: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Last administrator */
        LastAdministrator: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Mail already closed */
        MailClosed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Mail not found */
        MailNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Mail is not configured · Service unavailable */
        MailUnavailable_ServiceUnavailable: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description No token provided · Invalid token */
        NoTokenProvided_InvalidToken: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Post not found */
        PostNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Precondition failed */
        PreconditionFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Refusal not found */
        RefusalNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Request timeout */
        RequestTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Route not found */
        RouteNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Route not found */
        RouteNotFound_OrPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                /** @example <!doctype html>… */
                "text/html": string;
            };
        };
        /** @description Service unavailable */
        ServiceUnavailable: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Too many login attempts */
        TooManyLoginAttempts: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Too many login attempts */
        TooManyLoginAttempts_OrPage: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                /** @example <!doctype html>… */
                "text/html": string;
            };
        };
        /** @description Too many login attempts · Too many requests */
        TooManyLoginAttempts_TooManyRequests: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Too many requests */
        TooManyRequests: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description unauthorized_client */
        UnauthorizedClient: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Unsupported media type */
        UnsupportedMediaType: {
            headers: {
                "Accept-Encoding": components["headers"]["Accept-Encoding"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Unsupported media type */
        UnsupportedMediaType_OrPage: {
            headers: {
                "Accept-Encoding": components["headers"]["Accept-Encoding"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                /** @example <!doctype html>… */
                "text/html": string;
            };
        };
        /** @description invalid_request */
        UnsupportedRequest: {
            headers: {
                "Accept-Encoding": components["headers"]["Accept-Encoding"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description User not found */
        UserNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Username already exists · Email already in use */
        UsernameExists_EmailExists: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Username already exists · User already has an account */
        UsernameExists_UserHasAccount: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Webhook delivery not found */
        WebhookDeliveryNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Webhook is disabled */
        WebhookDisabled: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Webhook not found */
        WebhookNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /**
         * @description 1 to 255 visible ASCII characters: the same answer for 24 hours, done once
         * @example 5f0c9b1e-7a34-4a55-9a3e-2f1d8c6b7e90
         */
        "Idempotency-Key": string;
        /**
         * @description The ETag of what the caller has seen: refused where it has changed since
         * @example "Yd2tLC9hKZ3aQzW8vXfN1g"
         */
        "If-Match": string;
        /**
         * @description The `csrf_token` of the session; needed where the session authenticates
         * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
         */
        "X-CSRF-Token": string;
        /**
         * @description The `csrf_token` of the session; needed where the session authenticates
         * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
         */
        "X-CSRF-Token_required": string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description The codings of a body that are read: none. Its charset must be UTF-8
         * @example identity
         */
        "Accept-Encoding": string;
        /**
         * @description How long the answer may be kept
         * @example public, max-age=300
         */
        "Cache-Control": string;
        /**
         * @description The cookies of the request for the application, without those of this service
         * @example theme=dark
         */
        Cookie: string;
        /**
         * @description The version of the representation, for If-Match
         * @example "Yd2tLC9hKZ3aQzW8vXfN1g"
         */
        ETag: string;
        /**
         * @description Where the browser goes on
         * @example https://login.example.org/authorize?client_id=gatehouse&state=8hJ…
         */
        Location: string;
        /**
         * @description For nginx: where the browser of a person is sent to sign in
         * @example https://id.example.org/signin?return_to=https%3A%2F%2Fwiki.example.org%2F
         */
        Location_OfSignIn: string;
        /**
         * @description The verified mail address, percent-encoded as the username
         * @example ann@example.org
         */
        "Remote-Email": string;
        /**
         * @description The roles, with commas between them
         * @example USER,EDITOR
         */
        "Remote-Groups": string;
        /**
         * @description The username, percent-encoded where it is not printable ASCII; none for a bypass
         * @example ann
         */
        "Remote-User": string;
        /**
         * @description After how many seconds another try can succeed
         * @example 60
         */
        "Retry-After": number;
        /**
         * @description Sets or clears a cookie: HttpOnly, Secure, Path=/
         * @example JSESSIONID=9vX…Q; Path=/; HttpOnly; Secure; SameSite=Strict
         */
        "Set-Cookie": string;
        /**
         * @description A challenge for each scheme that the route accepts; a fetch of a page gets no Basic
         * @example Bearer realm="API"
         */
        "WWW-Authenticate": string;
        /**
         * @description Names the request in the log
         * @example Zk3vQ1xw-2f
         */
        "X-Request-Id": string;
        /**
         * @description How many items the whole list has
         * @example 1
         */
        "X-Total-Count": number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    logIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoginRequest"];
                "application/x-www-form-urlencoded": components["schemas"]["LoginRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedSession"] | components["schemas"]["AccessToken"] | components["schemas"]["TokenPair"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["InvalidCredentials_CaptchaRequired_SecondFactorRequired"];
            403: components["responses"]["AccessDenied_PasswordChangeRequired_EnrolmentRequired"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getCaptcha: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "parameters": {
                     *         "algorithm": "PBKDF2/SHA-256",
                     *         "cost": 2000,
                     *         "expiresAt": 1772444400,
                     *         "keyLength": 32,
                     *         "keyPrefix": "00",
                     *         "nonce": "5d1f0c9e8b7a46352413f2e1d0c9b8a7",
                     *         "salt": "9a8b7c6d5e4f30211203f4e5d6c7b8a9"
                     *       },
                     *       "signature": "4f1a…c2"
                     *     }
                     */
                    "application/json": components["schemas"]["Captcha"];
                };
            };
            404: components["responses"]["RouteNotFound"];
            default: components["responses"]["AnyOperation"];
        };
    };
    logOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["LogoutRequest"];
                /** @example {} */
                "application/x-www-form-urlencoded": components["schemas"]["LogoutRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Logged out"
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            default: components["responses"]["AnyOperation"];
        };
    };
    finishReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Of the link; or else id and code */
                    token?: string;
                    /** @description Of the answer to the beginning */
                    id?: string;
                    /** @description Of the mail; spaces do not count */
                    code?: string;
                    /** @description Absent only to take a deletion back, for an account without a password that signs in through a provider */
                    new_password?: string;
                    /** @description The six digits that the authenticator app shows */
                    totp?: string;
                    /** @description In place of `totp`; each can be used once */
                    recovery_code?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Password changed"
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed_ConfirmationInvalid"];
            401: components["responses"]["InvalidCredentials_SecondFactorRequired"];
            403: components["responses"]["AccessDenied"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    beginReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "username": "ann"
                 *     }
                 */
                "application/json": components["schemas"]["Reset"];
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "q5Wc1oJ4mN0b7Yt2xR9dEg",
                     *       "expires_at": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["BegunConfirmation"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            403: components["responses"]["AccessDenied"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["MailUnavailable_ServiceUnavailable"];
            default: components["responses"]["AnyOperation"];
        };
    };
    finishEmailLogin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Of the link; or else id and code */
                    token?: string;
                    /** @description Of the answer to the beginning */
                    id?: string;
                    /** @description Of the mail; spaces do not count */
                    code?: string;
                    /**
                     * @description What to answer
                     * @enum {string}
                     */
                    mode?: "session" | "token" | "pair";
                    /** @description For an account that must change its password */
                    new_password?: string;
                    /** @description The six digits that the authenticator app shows */
                    totp?: string;
                    /** @description In place of `totp`; each can be used once */
                    recovery_code?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedSession"] | components["schemas"]["AccessToken"] | components["schemas"]["TokenPair"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed_ConfirmationInvalid"];
            401: components["responses"]["InvalidCredentials_SecondFactorRequired"];
            403: components["responses"]["AccessDenied_PasswordChangeRequired_EnrolmentRequired"];
            404: components["responses"]["RouteNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    beginEmailLogin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ann@example.org"
                 *     }
                 */
                "application/json": components["schemas"]["SignInCode"];
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "q5Wc1oJ4mN0b7Yt2xR9dEg",
                     *       "expires_at": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["BegunConfirmation"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            403: components["responses"]["AccessDenied"];
            404: components["responses"]["RouteNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["MailUnavailable_ServiceUnavailable"];
            default: components["responses"]["AnyOperation"];
        };
    };
    finishSignUp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewOwner"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "username": "ann",
                     *       "user_id": 7,
                     *       "roles": [
                     *         "USER"
                     *       ],
                     *       "locked": false,
                     *       "active": true,
                     *       "second_factor": false,
                     *       "deletion_at": null,
                     *       "created_at": "2026-03-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed_ConfirmationInvalid"];
            403: components["responses"]["AccessDenied_SignUpOff"];
            409: components["responses"]["UsernameExists_EmailExists"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["MailUnavailable_ServiceUnavailable"];
            default: components["responses"]["AnyOperation"];
        };
    };
    beginSignUp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ann@example.org"
                 *     }
                 */
                "application/json": components["schemas"]["SignUp"];
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "q5Wc1oJ4mN0b7Yt2xR9dEg",
                     *       "expires_at": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["BegunConfirmation"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            403: components["responses"]["AccessDenied_SignUpOff"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["MailUnavailable_ServiceUnavailable"];
            default: components["responses"]["AnyOperation"];
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "q5Wc1oJ4mN0b7Yt2xR9dEg.wK3n0V8sQxA2mJ6uT4yB1cZ7fH5pLrD9eGiNoSvXaMk",
                 *       "username": "ann",
                 *       "name": "Ann Example",
                 *       "password": "gravel-otter-lantern-41"
                 *     }
                 */
                "application/json": components["schemas"]["InvitationAcceptance"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "username": "ann",
                     *       "user_id": 7,
                     *       "roles": [
                     *         "USER"
                     *       ],
                     *       "locked": false,
                     *       "active": true,
                     *       "second_factor": false,
                     *       "deletion_at": null,
                     *       "created_at": "2026-03-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed_ConfirmationInvalid"];
            403: components["responses"]["AccessDenied"];
            409: components["responses"]["UsernameExists_EmailExists"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listOwnSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "mZ1c0GQ2n5v8y3b6",
                     *         "current": true,
                     *         "created_at": "2026-03-02T09:15:00.000Z",
                     *         "last_seen_at": "2026-03-02T09:30:00.000Z",
                     *         "address": "203.0.113.9",
                     *         "user_agent": "Mozilla/5.0"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Session"][];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    endOtherSessions: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "All other sessions and all tokens ended"
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    endOwnSession: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description The `id` of a listed session
                 * @example mZ1c0GQ2n5v8y3b6
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Session ended"
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound_SessionNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listOwnSessionsAsUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "mZ1c0GQ2n5v8y3b6",
                     *         "current": true,
                     *         "created_at": "2026-03-02T09:15:00.000Z",
                     *         "last_seen_at": "2026-03-02T09:30:00.000Z",
                     *         "address": "203.0.113.9",
                     *         "user_agent": "Mozilla/5.0"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Session"][];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    endOtherSessionsAsUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "All other sessions and all tokens ended"
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    endOwnSessionAsUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description The `id` of a listed session
                 * @example mZ1c0GQ2n5v8y3b6
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Session ended"
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound_SessionNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "7",
                     *       "username": "ann",
                     *       "roles": [
                     *         "USER"
                     *       ],
                     *       "csrf_token": "f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0",
                     *       "expires_at": "2026-03-02T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["CurrentSession"];
                };
            };
            401: components["responses"]["AuthenticationRequired_WithoutChallenge"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getGreeting: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Hello, ann"
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            401: components["responses"]["AuthenticationRequired_WithoutChallenge"];
            default: components["responses"]["AnyOperation"];
        };
    };
    transfer: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token": components["parameters"]["X-CSRF-Token_required"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "to": "bea",
                 *       "amount": 10
                 *     }
                 */
                "application/json": components["schemas"]["Transfer"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Transfer accepted"
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody"];
            /** @description No session; no body */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            403: components["responses"]["CsrfTokenInvalid"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "kid": "5vKp2mQwXb3nTz8h",
                     *           "purpose": "signing",
                     *           "algorithm": "RS256",
                     *           "state": "verifies",
                     *           "configured": false,
                     *           "created_at": "2026-01-02T08:00:00.000Z",
                     *           "signs_from": "2026-01-02T08:10:00.000Z",
                     *           "verifies_until": "2026-03-02T08:21:00.000Z",
                     *           "can_retire": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["KeyList"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "purpose": "signing",
                 *       "at_once": false
                 *     }
                 */
                "application/json": components["schemas"]["RotateKey"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kid": "q3Rk0ZtBxW5vKp2m",
                     *       "purpose": "signing",
                     *       "before": "5vKp2mQwXb3nTz8h",
                     *       "signs_from": "2026-03-02T08:10:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["RotatedKey"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            409: components["responses"]["KeyNotReplaced"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    retireKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /** @example 5vKp2mQwXb3nTz8h */
                kid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kid": "5vKp2mQwXb3nTz8h",
                     *       "purpose": "signing",
                     *       "algorithm": "RS256",
                     *       "state": "verifies",
                     *       "configured": false,
                     *       "created_at": "2026-01-02T08:00:00.000Z",
                     *       "signs_from": "2026-01-02T08:10:00.000Z",
                     *       "verifies_until": "2026-03-02T08:21:00.000Z",
                     *       "can_retire": true
                     *     }
                     */
                    "application/json": components["schemas"]["StoredKey"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["KeyNotFound"];
            409: components["responses"]["KeySigns"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listClients: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "configured": true,
                     *       "data": [
                     *         {
                     *           "id": "shop",
                     *           "may": [
                     *             "introspect",
                     *             "revoke"
                     *           ],
                     *           "audiences": [
                     *             "api"
                     *           ],
                     *           "secrets": 1
                     *         }
                     *       ],
                     *       "mistakes": []
                     *     }
                     */
                    "application/json": components["schemas"]["ClientList"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    refreshToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "refresh_token": "eyJhbGciOiJIUzI1NiIsImtpZCI6IjJhIn0.eyJzdWIiOiI3In0.c2lnbmF0dXJl"
                 *     }
                 */
                "application/json": components["schemas"]["RefreshRequest"];
                /**
                 * @example {
                 *       "refresh_token": "eyJhbGciOiJIUzI1NiIsImtpZCI6IjJhIn0.eyJzdWIiOiI3In0.c2lnbmF0dXJl"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["RefreshRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "eyJhbGciOiJSUzI1NiIsImtpZCI6IjFmIn0.eyJzdWIiOiI3In0.c2lnbmF0dXJl",
                     *       "token_type": "Bearer",
                     *       "expires_in": 900
                     *     }
                     */
                    "application/json": components["schemas"]["RefreshedToken"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["InvalidRefreshToken"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sub": "7",
                     *       "email": "ann@example.org",
                     *       "name": "Ann Example",
                     *       "roles": [
                     *         "USER"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Me"];
                };
            };
            401: components["responses"]["NoTokenProvided_InvalidToken"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getJwks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": [
                     *         {
                     *           "kty": "RSA",
                     *           "use": "sig",
                     *           "alg": "RS256",
                     *           "kid": "1f",
                     *           "n": "u1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gunVTLw7onLRnrq0…",
                     *           "e": "AQAB"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Jwks"];
                };
            };
            default: components["responses"]["AnyOperation"];
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "eyJhbGciOiJSUzI1NiIsImtpZCI6IjFmIn0.eyJzdWIiOiI3In0.c2lnbmF0dXJl"
                 *     }
                 */
                "application/json": components["schemas"]["TokenRevocation"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Token revoked"
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    introspectToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "eyJhbGciOiJSUzI1NiIsImtpZCI6Ik1tWmcifQ.eyJzdWIiOiI3In0.Q2hGcA"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["TokenParameters"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "active": true,
                     *       "token_type": "Bearer",
                     *       "iss": "https://auth.example.com",
                     *       "sub": "7",
                     *       "aud": "api",
                     *       "exp": 1772447100,
                     *       "iat": 1772443500,
                     *       "nbf": 1772443500,
                     *       "jti": "c1f0a9b2d4e6",
                     *       "username": "ann",
                     *       "roles": [
                     *         "USER"
                     *       ],
                     *       "auth_time": 1772443500,
                     *       "amr": [
                     *         "pwd"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Introspection"];
                };
            };
            400: components["responses"]["BadRequest_InvalidRequest"];
            401: components["responses"]["InvalidClient"];
            403: components["responses"]["UnauthorizedClient"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedRequest"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    revokeTokenAsClient: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "eyJhbGciOiJSUzI1NiIsImtpZCI6Ik1tWmcifQ.eyJzdWIiOiI3In0.Q2hGcA"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["TokenParameters"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest_InvalidRequest"];
            401: components["responses"]["InvalidClient"];
            403: components["responses"]["UnauthorizedClient"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedRequest"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    authorizeForwardedRequest: {
        parameters: {
            query?: {
                /** @description For nginx, which passes no redirect on: the sign-in is the Location of a 401 in its place */
                proxy?: "nginx";
            };
            header: {
                /**
                 * @description The host that the client asked for, as a browser writes it
                 * @example wiki.example.org
                 */
                "X-Forwarded-Host": string;
                /**
                 * @description The scheme by which it came
                 * @example https
                 */
                "X-Forwarded-Proto": "http" | "https" | "ws" | "wss";
                /**
                 * @description Path and query as the client sent them
                 * @example /pages/1?edit
                 */
                "X-Forwarded-Uri": string;
                /**
                 * @description The method of the request
                 * @example GET
                 */
                "X-Forwarded-Method": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    "Remote-User": components["headers"]["Remote-User"];
                    "Remote-Groups": components["headers"]["Remote-Groups"];
                    "Remote-Email": components["headers"]["Remote-Email"];
                    Cookie: components["headers"]["Cookie"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Found: the browser is sent to the sign-in */
            302: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    "Remote-User": components["headers"]["Remote-User"];
                    "Remote-Groups": components["headers"]["Remote-Groups"];
                    "Remote-Email": components["headers"]["Remote-Email"];
                    Cookie: components["headers"]["Cookie"];
                    Location: components["headers"]["Location"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest_OrPage"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_OrSignIn_OrPage"];
            403: components["responses"]["AccessDenied_OrPage"];
            429: components["responses"]["TooManyLoginAttempts_OrPage"];
            default: components["responses"]["AnyOperation_OrPage"];
        };
    };
    getOwnAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "username": "ann",
                     *       "roles": [
                     *         "USER"
                     *       ],
                     *       "second_factor": false,
                     *       "user": {
                     *         "id": 7,
                     *         "name": "Ann Example",
                     *         "email": "ann@example.org"
                     *       },
                     *       "created_at": "2026-03-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["OwnAccount"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    deleteOwnAccount: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "username": "ann",
                 *       "current_password": "gravel-otter-lantern-41"
                 *     }
                 */
                "application/json": components["schemas"]["AccountDeletion"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Account deletion requested",
                     *       "deletion_at": "2026-03-09T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AccountDeleted"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidCredentials_InvalidOrExpiredToken_CaptchaRequired_RecentLoginRequired_ConfirmationRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            409: components["responses"]["LastAdministrator"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    changeOwnPassword: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "current_password": "gravel-otter-lantern-41",
                 *       "new_password": "amber-violin-thicket-87"
                 *     }
                 */
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Password changed"
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidCredentials_InvalidOrExpiredToken_CaptchaRequired_RecentLoginRequired_ConfirmationRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getOwnAccountAsUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "username": "ann",
                     *       "roles": [
                     *         "USER"
                     *       ],
                     *       "second_factor": false,
                     *       "user": {
                     *         "id": 7,
                     *         "name": "Ann Example",
                     *         "email": "ann@example.org"
                     *       },
                     *       "created_at": "2026-03-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["OwnAccount"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    deleteOwnAccountAsUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "username": "ann",
                 *       "current_password": "gravel-otter-lantern-41"
                 *     }
                 */
                "application/json": components["schemas"]["AccountDeletion"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Account deletion requested",
                     *       "deletion_at": "2026-03-09T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AccountDeleted"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidCredentials_InvalidOrExpiredToken_CaptchaRequired_RecentLoginRequired_ConfirmationRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            409: components["responses"]["LastAdministrator"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    changeOwnPasswordAsUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "current_password": "gravel-otter-lantern-41",
                 *       "new_password": "amber-violin-thicket-87"
                 *     }
                 */
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Password changed"
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidCredentials_InvalidOrExpiredToken_CaptchaRequired_RecentLoginRequired_ConfirmationRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listOwnNotices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "type": "password_changed",
                     *         "at": "2026-03-02T09:15:00.000Z",
                     *         "facts": {
                     *           "by": "owner",
                     *           "address": "203.0.113.9",
                     *           "browser": "Firefox",
                     *           "system": "Linux",
                     *           "provider": null,
                     *           "codes_left": null,
                     *           "locked_until": null,
                     *           "linked_providers": [
                     *             "acme"
                     *           ]
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Notice"][];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listOwnNoticesAsUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "type": "password_changed",
                     *         "at": "2026-03-02T09:15:00.000Z",
                     *         "facts": {
                     *           "by": "owner",
                     *           "address": "203.0.113.9",
                     *           "browser": "Firefox",
                     *           "system": "Linux",
                     *           "provider": null,
                     *           "codes_left": null,
                     *           "locked_until": null,
                     *           "linked_providers": [
                     *             "acme"
                     *           ]
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Notice"][];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getOwnEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": "ann@example.org",
                     *       "verified_at": "2026-03-02T09:00:00.000Z",
                     *       "pending": null,
                     *       "undeliverable": false
                     *     }
                     */
                    "application/json": components["schemas"]["OwnEmail"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    changeOwnEmail: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ann@example.com",
                 *       "current_password": "gravel-otter-lantern-41"
                 *     }
                 */
                "application/json": components["schemas"]["WantedEmail"];
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "q5Wc1oJ4mN0b7Yt2xR9dEg",
                     *       "expires_at": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["BegunConfirmation"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidCredentials_InvalidOrExpiredToken_CaptchaRequired_RecentLoginRequired_ConfirmationRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts_TooManyRequests"];
            503: components["responses"]["MailUnavailable_ServiceUnavailable"];
            default: components["responses"]["AnyOperation"];
        };
    };
    cancelOwnEmail: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "No address waits for its proof"
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    changeOwnLanguage: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "language": "de"
                 *     }
                 */
                "application/json": components["schemas"]["WantedLanguage"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Language changed"
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getOwnEmailAsUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": "ann@example.org",
                     *       "verified_at": "2026-03-02T09:00:00.000Z",
                     *       "pending": null,
                     *       "undeliverable": false
                     *     }
                     */
                    "application/json": components["schemas"]["OwnEmail"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    changeOwnEmailAsUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ann@example.com",
                 *       "current_password": "gravel-otter-lantern-41"
                 *     }
                 */
                "application/json": components["schemas"]["WantedEmail"];
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "q5Wc1oJ4mN0b7Yt2xR9dEg",
                     *       "expires_at": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["BegunConfirmation"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidCredentials_InvalidOrExpiredToken_CaptchaRequired_RecentLoginRequired_ConfirmationRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts_TooManyRequests"];
            503: components["responses"]["MailUnavailable_ServiceUnavailable"];
            default: components["responses"]["AnyOperation"];
        };
    };
    cancelOwnEmailAsUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "No address waits for its proof"
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    changeOwnLanguageAsUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "language": "de"
                 *     }
                 */
                "application/json": components["schemas"]["WantedLanguage"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Language changed"
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    verifyEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "q5Wc1oJ4mN0b7Yt2xR9dEg.wK3n0V8sQxA2mJ6uT4yB1cZ7fH5pLrD9eGiNoSvXaMk"
                 *     }
                 */
                "application/json": components["schemas"]["MailedProof"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Email verified"
                     *     }
                     */
                    "application/json": components["schemas"]["ConfirmedEmail"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed_ConfirmationInvalid"];
            409: components["responses"]["EmailExists"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            default: components["responses"]["AnyOperation"];
        };
    };
    exportOwnData: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "exported_at": "2026-03-01T09:30:00.000Z",
                     *       "user_id": 7,
                     *       "data": {
                     *         "user": {
                     *           "id": 7,
                     *           "name": "Ann Example",
                     *           "email": "ann@example.org"
                     *         },
                     *         "account": {
                     *           "username": "ann",
                     *           "roles": [
                     *             "USER"
                     *           ]
                     *         },
                     *         "sessions": [],
                     *         "posts": [],
                     *         "audit": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PersonalData"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    exportOwnDataAsUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "exported_at": "2026-03-01T09:30:00.000Z",
                     *       "user_id": 7,
                     *       "data": {
                     *         "user": {
                     *           "id": 7,
                     *           "name": "Ann Example",
                     *           "email": "ann@example.org"
                     *         },
                     *         "account": {
                     *           "username": "ann",
                     *           "roles": [
                     *             "USER"
                     *           ]
                     *         },
                     *         "sessions": [],
                     *         "posts": [],
                     *         "audit": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PersonalData"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    confirmTotp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "totp": "492039"
                 *     }
                 */
                "application/json": components["schemas"]["TotpCode"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recovery_codes": [
                     *         "KQ7M-3XHD-HT2W-5RNA",
                     *         "P6DV-ZLCE-2MYB-T4QJ"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidCredentials_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    beginTotp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "current_password": "gravel-otter-lantern-41"
                 *     }
                 */
                "application/json": components["schemas"]["Proofs"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
                     *       "uri": "otpauth://totp/Gatehouse:ann?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Gatehouse",
                     *       "qr": "<svg xmlns=\"http://www.w3.org/2000/svg\">…</svg>"
                     *     }
                     */
                    "application/json": components["schemas"]["TotpEnrolment"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidCredentials_InvalidOrExpiredToken_CaptchaRequired_RecentLoginRequired_ConfirmationRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    removeTotp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "current_password": "gravel-otter-lantern-41"
                 *     }
                 */
                "application/json": components["schemas"]["Proofs"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Second factor removed"
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidCredentials_InvalidOrExpiredToken_CaptchaRequired_RecentLoginRequired_ConfirmationRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound_SecondFactorNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    renewRecoveryCodes: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "current_password": "gravel-otter-lantern-41"
                 *     }
                 */
                "application/json": components["schemas"]["Proofs"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recovery_codes": [
                     *         "KQ7M-3XHD-HT2W-5RNA",
                     *         "P6DV-ZLCE-2MYB-T4QJ"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidCredentials_InvalidOrExpiredToken_CaptchaRequired_RecentLoginRequired_ConfirmationRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    confirmTotpAsUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "totp": "492039"
                 *     }
                 */
                "application/json": components["schemas"]["TotpCode"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recovery_codes": [
                     *         "KQ7M-3XHD-HT2W-5RNA",
                     *         "P6DV-ZLCE-2MYB-T4QJ"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidCredentials_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    beginTotpAsUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "current_password": "gravel-otter-lantern-41"
                 *     }
                 */
                "application/json": components["schemas"]["Proofs"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
                     *       "uri": "otpauth://totp/Gatehouse:ann?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Gatehouse",
                     *       "qr": "<svg xmlns=\"http://www.w3.org/2000/svg\">…</svg>"
                     *     }
                     */
                    "application/json": components["schemas"]["TotpEnrolment"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidCredentials_InvalidOrExpiredToken_CaptchaRequired_RecentLoginRequired_ConfirmationRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    removeTotpAsUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "current_password": "gravel-otter-lantern-41"
                 *     }
                 */
                "application/json": components["schemas"]["Proofs"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Second factor removed"
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidCredentials_InvalidOrExpiredToken_CaptchaRequired_RecentLoginRequired_ConfirmationRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound_SecondFactorNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    renewRecoveryCodesAsUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "current_password": "gravel-otter-lantern-41"
                 *     }
                 */
                "application/json": components["schemas"]["Proofs"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recovery_codes": [
                     *         "KQ7M-3XHD-HT2W-5RNA",
                     *         "P6DV-ZLCE-2MYB-T4QJ"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidCredentials_InvalidOrExpiredToken_CaptchaRequired_RecentLoginRequired_ConfirmationRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listOwnIdentities: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 3,
                     *         "provider": "acme",
                     *         "issuer": "https://login.example.org",
                     *         "subject": "248289761001",
                     *         "created_at": "2026-03-02T09:45:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Identity"][];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    linkIdentity: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "provider": "acme",
                 *       "return_to": "/console",
                 *       "current_password": "gravel-otter-lantern-41"
                 *     }
                 */
                "application/json": components["schemas"]["IdentityLinkRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "url": "https://login.example.org/authorize?client_id=gatehouse&state=8hJ…"
                     *     }
                     */
                    "application/json": components["schemas"]["IdentityLinkStart"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidCredentials_InvalidOrExpiredToken_CaptchaRequired_RecentLoginRequired_ConfirmationRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            502: components["responses"]["IdentityProvider"];
            default: components["responses"]["AnyOperation"];
        };
    };
    unlinkIdentity: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description Anything but an integer from 1 is not found
                 * @example 3
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "current_password": "gravel-otter-lantern-41"
                 *     }
                 */
                "application/json": components["schemas"]["Proofs"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Identity unlinked"
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidCredentials_InvalidOrExpiredToken_CaptchaRequired_RecentLoginRequired_ConfirmationRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound_IdentityNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listOwnIdentitiesAsUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 3,
                     *         "provider": "acme",
                     *         "issuer": "https://login.example.org",
                     *         "subject": "248289761001",
                     *         "created_at": "2026-03-02T09:45:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Identity"][];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    linkIdentityAsUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "provider": "acme",
                 *       "return_to": "/console",
                 *       "current_password": "gravel-otter-lantern-41"
                 *     }
                 */
                "application/json": components["schemas"]["IdentityLinkRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "url": "https://login.example.org/authorize?client_id=gatehouse&state=8hJ…"
                     *     }
                     */
                    "application/json": components["schemas"]["IdentityLinkStart"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidCredentials_InvalidOrExpiredToken_CaptchaRequired_RecentLoginRequired_ConfirmationRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            502: components["responses"]["IdentityProvider"];
            default: components["responses"]["AnyOperation"];
        };
    };
    unlinkIdentityAsUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description Anything but an integer from 1 is not found
                 * @example 3
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "current_password": "gravel-otter-lantern-41"
                 *     }
                 */
                "application/json": components["schemas"]["Proofs"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Identity unlinked"
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidCredentials_InvalidOrExpiredToken_CaptchaRequired_RecentLoginRequired_ConfirmationRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound_IdentityNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    beginSignIn: {
        parameters: {
            query?: {
                /**
                 * @description A path of this service; anything else counts as /
                 * @example /console
                 */
                return_to?: string;
                /** @description Has the person sign in at the provider once more, for a recent login */
                again?: "1";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description See Other: the browser goes on */
            303: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    Location: components["headers"]["Location"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            404: components["responses"]["RouteNotFound_OrPage"];
            502: components["responses"]["IdentityProvider_OrPage"];
            default: components["responses"]["AnyOperation_OrPage"];
        };
    };
    finishSignIn: {
        parameters: {
            query?: {
                /**
                 * @description To be exchanged for tokens, once
                 * @example Sxl2…
                 */
                code?: string;
                /**
                 * @description Names the sign-in under way
                 * @example 8hJ…
                 */
                state?: string;
                /**
                 * @description The issuer
                 * @example https://login.example.org
                 */
                iss?: string;
                /**
                 * @description Why there is no code
                 * @example access_denied
                 */
                error?: string;
                /** @description The same in words, for the log */
                error_description?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html>… */
                    "text/html": string;
                };
            };
            /** @description See Other: the browser goes on */
            303: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    Location: components["headers"]["Location"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest_SignInFailed_OrPage"];
            401: components["responses"]["InvalidCredentials_WithCookie_OrPage"];
            403: components["responses"]["AccessDenied_PasswordChangeRequired_EnrolmentRequired_WithCookie_OrPage"];
            404: components["responses"]["RouteNotFound_OrPage"];
            409: components["responses"]["IdentityLinked_OrPage"];
            502: components["responses"]["IdentityProvider_OrPage"];
            default: components["responses"]["AnyOperation_OrPage"];
        };
    };
    beginSignInWithProvider: {
        parameters: {
            query?: {
                /**
                 * @description A path of this service; anything else counts as /
                 * @example /console
                 */
                return_to?: string;
                /** @description Has the person sign in at the provider once more, for a recent login */
                again?: "1";
            };
            header?: never;
            path: {
                /**
                 * @description A name of `OIDC_PROVIDERS`
                 * @example acme
                 */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description See Other: the browser goes on */
            303: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    Location: components["headers"]["Location"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            404: components["responses"]["RouteNotFound_OrPage"];
            502: components["responses"]["IdentityProvider_OrPage"];
            default: components["responses"]["AnyOperation_OrPage"];
        };
    };
    finishSignInWithProvider: {
        parameters: {
            query?: {
                /**
                 * @description To be exchanged for tokens, once
                 * @example Sxl2…
                 */
                code?: string;
                /**
                 * @description Names the sign-in under way
                 * @example 8hJ…
                 */
                state?: string;
                /**
                 * @description The issuer
                 * @example https://login.example.org
                 */
                iss?: string;
                /**
                 * @description Why there is no code
                 * @example access_denied
                 */
                error?: string;
                /** @description The same in words, for the log */
                error_description?: string;
            };
            header?: never;
            path: {
                /**
                 * @description A name of `OIDC_PROVIDERS`
                 * @example acme
                 */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html>… */
                    "text/html": string;
                };
            };
            /** @description See Other: the browser goes on */
            303: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    Location: components["headers"]["Location"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest_SignInFailed_OrPage"];
            401: components["responses"]["InvalidCredentials_WithCookie_OrPage"];
            403: components["responses"]["AccessDenied_PasswordChangeRequired_EnrolmentRequired_WithCookie_OrPage"];
            404: components["responses"]["RouteNotFound_OrPage"];
            409: components["responses"]["IdentityLinked_OrPage"];
            502: components["responses"]["IdentityProvider_OrPage"];
            default: components["responses"]["AnyOperation_OrPage"];
        };
    };
    getSecondFactorPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html>… */
                    "text/html": string;
                };
            };
            400: components["responses"]["BadRequest_SignInFailed_OrPage"];
            default: components["responses"]["AnyOperation_OrPage"];
        };
    };
    confirmSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "totp": "492039"
                 *     }
                 */
                "application/json": components["schemas"]["SecondFactorProof"];
                /**
                 * @example {
                 *       "totp": "492039"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["SecondFactorProof"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Logged in",
                     *       "csrf_token": "f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0"
                     *     }
                     */
                    "application/json": components["schemas"]["StartedSession"];
                    /** @example <!doctype html>… */
                    "text/html": string;
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed_SignInFailed_OrPage"];
            401: components["responses"]["InvalidCredentials_SecondFactorRequired_OrPage"];
            403: components["responses"]["AccessDenied_PasswordChangeRequired_EnrolmentRequired_OrPage"];
            413: components["responses"]["BodyTooLarge_OrPage"];
            415: components["responses"]["UnsupportedMediaType_OrPage"];
            429: components["responses"]["TooManyLoginAttempts_OrPage"];
            default: components["responses"]["AnyOperation_OrPage"];
        };
    };
    beginSignOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html>… */
                    "text/html": string;
                };
            };
            404: components["responses"]["RouteNotFound_OrPage"];
            default: components["responses"]["AnyOperation_OrPage"];
        };
    };
    confirmSignOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "csrf_token": "f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0"
                 *     }
                 */
                "application/json": components["schemas"]["SignOutForm"];
                /**
                 * @example {
                 *       "csrf_token": "f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["SignOutForm"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html>… */
                    "text/html": string;
                };
            };
            /** @description See Other: the browser goes on */
            303: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    Location: components["headers"]["Location"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed_OrPage"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid_OrPage"];
            404: components["responses"]["RouteNotFound_OrPage"];
            413: components["responses"]["BodyTooLarge_OrPage"];
            415: components["responses"]["UnsupportedMediaType_OrPage"];
            default: components["responses"]["AnyOperation_OrPage"];
        };
    };
    beginSignOutWithProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A name of `OIDC_PROVIDERS`
                 * @example acme
                 */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html>… */
                    "text/html": string;
                };
            };
            404: components["responses"]["RouteNotFound_OrPage"];
            default: components["responses"]["AnyOperation_OrPage"];
        };
    };
    confirmSignOutWithProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A name of `OIDC_PROVIDERS`
                 * @example acme
                 */
                provider: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "csrf_token": "f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0"
                 *     }
                 */
                "application/json": components["schemas"]["SignOutForm"];
                /**
                 * @example {
                 *       "csrf_token": "f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["SignOutForm"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html>… */
                    "text/html": string;
                };
            };
            /** @description See Other: the browser goes on */
            303: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    Location: components["headers"]["Location"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed_OrPage"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid_OrPage"];
            404: components["responses"]["RouteNotFound_OrPage"];
            413: components["responses"]["BodyTooLarge_OrPage"];
            415: components["responses"]["UnsupportedMediaType_OrPage"];
            default: components["responses"]["AnyOperation_OrPage"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /**
                 * @description A value that is no such integer counts as 1. To read a long list from its beginning to its end, follow `next` of `/api/v2/users`, which costs the same at any depth and neither skips nor repeats an item when others come or go
                 * @example 2
                 */
                page?: number;
                /**
                 * @description A value that is no such integer counts as 10.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"][] | components["schemas"]["UserPage"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description 1 to 255 visible ASCII characters: the same answer for 24 hours, done once
                 * @example 5f0c9b1e-7a34-4a55-9a3e-2f1d8c6b7e90
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ann Example",
                 *       "email": "ann@example.org"
                 *     }
                 */
                "application/json": components["schemas"]["NewUser"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "Ann Example",
                     *       "email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_NameAndEmailRequired_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Anything but an integer from 1 is not found
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "Ann Example",
                     *       "email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            404: components["responses"]["UserNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    updateUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of what the caller has seen: refused where it has changed since
                 * @example "Yd2tLC9hKZ3aQzW8vXfN1g"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description Anything but an integer from 1 is not found
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ann@example.org"
                 *     }
                 */
                "application/json": components["schemas"]["UserChanges"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "Ann Example",
                     *       "email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["UserNotFound"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of what the caller has seen: refused where it has changed since
                 * @example "Yd2tLC9hKZ3aQzW8vXfN1g"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description Anything but an integer from 1 is not found
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "Ann Example",
                     *       "email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["UserNotFound"];
            409: components["responses"]["LastAdministrator"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listUsersV1: {
        parameters: {
            query?: {
                /**
                 * @description A value that is no such integer counts as 1. To read a long list from its beginning to its end, follow `next` of `/api/v2/users`, which costs the same at any depth and neither skips nor repeats an item when others come or go
                 * @example 2
                 */
                page?: number;
                /**
                 * @description A value that is no such integer counts as 10.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"][] | components["schemas"]["UserPage"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    createUserV1: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description 1 to 255 visible ASCII characters: the same answer for 24 hours, done once
                 * @example 5f0c9b1e-7a34-4a55-9a3e-2f1d8c6b7e90
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ann Example",
                 *       "email": "ann@example.org"
                 *     }
                 */
                "application/json": components["schemas"]["NewUser"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "Ann Example",
                     *       "email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_NameAndEmailRequired_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getUserV1: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Anything but an integer from 1 is not found
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "Ann Example",
                     *       "email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            404: components["responses"]["UserNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    updateUserV1: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of what the caller has seen: refused where it has changed since
                 * @example "Yd2tLC9hKZ3aQzW8vXfN1g"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description Anything but an integer from 1 is not found
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ann@example.org"
                 *     }
                 */
                "application/json": components["schemas"]["UserChanges"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "Ann Example",
                     *       "email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["UserNotFound"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    deleteUserV1: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of what the caller has seen: refused where it has changed since
                 * @example "Yd2tLC9hKZ3aQzW8vXfN1g"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description Anything but an integer from 1 is not found
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "Ann Example",
                     *       "email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["UserNotFound"];
            409: components["responses"]["LastAdministrator"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listUsersV2: {
        parameters: {
            query?: {
                /**
                 * @description A value that is no such integer counts as 1. To read a long list from its beginning to its end, follow `next` of `/api/v2/users`, which costs the same at any depth and neither skips nor repeats an item when others come or go
                 * @example 2
                 */
                page?: number;
                /**
                 * @description A value that is no such integer counts as 10. More than 1000 counts as 1000.
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description Part of name or e-mail, in any case; one or two characters: their beginning. At most 200 characters
                 * @example example.org
                 */
                q?: string;
                /**
                 * @description A minus stands for descending order
                 * @example -name
                 */
                sort?: "id" | "name" | "email" | "-id" | "-name" | "-email";
                /** @description The `next` of the page before, with the same `sort` */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "page": 1,
                     *       "limit": 10,
                     *       "total": 1,
                     *       "data": [
                     *         {
                     *           "id": 7,
                     *           "name": "Ann Example",
                     *           "email": "ann@example.org"
                     *         }
                     *       ],
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["UserPageV2"];
                };
            };
            400: components["responses"]["BadRequest_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    createUserV2: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description 1 to 255 visible ASCII characters: the same answer for 24 hours, done once
                 * @example 5f0c9b1e-7a34-4a55-9a3e-2f1d8c6b7e90
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ann Example",
                 *       "email": "ann@example.org"
                 *     }
                 */
                "application/json": components["schemas"]["NewUser"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "Ann Example",
                     *       "email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getUserV2: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Anything but an integer from 1 is not found
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "Ann Example",
                     *       "email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            404: components["responses"]["UserNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    updateUserV2: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of what the caller has seen: refused where it has changed since
                 * @example "Yd2tLC9hKZ3aQzW8vXfN1g"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description Anything but an integer from 1 is not found
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ann@example.org"
                 *     }
                 */
                "application/json": components["schemas"]["UserChanges"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "Ann Example",
                     *       "email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["UserNotFound"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    deleteUserV2: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of what the caller has seen: refused where it has changed since
                 * @example "Yd2tLC9hKZ3aQzW8vXfN1g"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description Anything but an integer from 1 is not found
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "Ann Example",
                     *       "email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["UserNotFound"];
            409: components["responses"]["LastAdministrator"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listPosts: {
        parameters: {
            query?: {
                /**
                 * @description A value that is no such integer counts as 1. To read a long list from its beginning to its end, follow `next` of `/api/v2/users`, which costs the same at any depth and neither skips nor repeats an item when others come or go
                 * @example 2
                 */
                page?: number;
                /**
                 * @description A value that is no such integer counts as 10.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Post"][] | components["schemas"]["PostPage"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    createPost: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description 1 to 255 visible ASCII characters: the same answer for 24 hours, done once
                 * @example 5f0c9b1e-7a34-4a55-9a3e-2f1d8c6b7e90
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Hello",
                 *       "body": "The first post."
                 *     }
                 */
                "application/json": components["schemas"]["NewPost"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 12,
                     *       "title": "Hello",
                     *       "body": "The first post.",
                     *       "author_id": 7,
                     *       "author": "ann",
                     *       "locked": false,
                     *       "created_at": "2026-03-02T09:30:00.000Z",
                     *       "updated_at": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Post"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listPostsAsEditor: {
        parameters: {
            query?: {
                /**
                 * @description A value that is no such integer counts as 1. To read a long list from its beginning to its end, follow `next` of `/api/v2/users`, which costs the same at any depth and neither skips nor repeats an item when others come or go
                 * @example 2
                 */
                page?: number;
                /**
                 * @description A value that is no such integer counts as 10.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Post"][] | components["schemas"]["PostPage"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getPost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Anything but an integer from 1 is not found
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 12,
                     *       "title": "Hello",
                     *       "body": "The first post.",
                     *       "author_id": 7,
                     *       "author": "ann",
                     *       "locked": false,
                     *       "created_at": "2026-03-02T09:30:00.000Z",
                     *       "updated_at": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Post"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            404: components["responses"]["PostNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    updatePost: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of what the caller has seen: refused where it has changed since
                 * @example "Yd2tLC9hKZ3aQzW8vXfN1g"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description Anything but an integer from 1 is not found
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Hello"
                 *     }
                 */
                "application/json": components["schemas"]["PostChanges"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 12,
                     *       "title": "Hello",
                     *       "body": "The first post.",
                     *       "author_id": 7,
                     *       "author": "ann",
                     *       "locked": false,
                     *       "created_at": "2026-03-02T09:30:00.000Z",
                     *       "updated_at": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Post"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["PostNotFound"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    deletePost: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of what the caller has seen: refused where it has changed since
                 * @example "Yd2tLC9hKZ3aQzW8vXfN1g"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description Anything but an integer from 1 is not found
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 12,
                     *       "title": "Hello",
                     *       "body": "The first post.",
                     *       "author_id": 7,
                     *       "author": "ann",
                     *       "locked": false,
                     *       "created_at": "2026-03-02T09:30:00.000Z",
                     *       "updated_at": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Post"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["PostNotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    lockPost: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of what the caller has seen: refused where it has changed since
                 * @example "Yd2tLC9hKZ3aQzW8vXfN1g"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description Anything but an integer from 1 is not found
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 12,
                     *       "title": "Hello",
                     *       "body": "The first post.",
                     *       "author_id": 7,
                     *       "author": "ann",
                     *       "locked": false,
                     *       "created_at": "2026-03-02T09:30:00.000Z",
                     *       "updated_at": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Post"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["PostNotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    unlockPost: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of what the caller has seen: refused where it has changed since
                 * @example "Yd2tLC9hKZ3aQzW8vXfN1g"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description Anything but an integer from 1 is not found
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 12,
                     *       "title": "Hello",
                     *       "body": "The first post.",
                     *       "author_id": 7,
                     *       "author": "ann",
                     *       "locked": false,
                     *       "created_at": "2026-03-02T09:30:00.000Z",
                     *       "updated_at": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Post"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["PostNotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listAccounts: {
        parameters: {
            query?: {
                /**
                 * @description Without any parameter but `limit`; the accounts are in the order of user ids then. A value that is no such integer counts as 1. With others, `cursor` names the page
                 * @example 2
                 */
                page?: number;
                /**
                 * @description A value that is no such integer counts as 10. More than 1000 counts as 1000.
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description Part of username, name, e-mail or verified address, in any case; one or two characters: their beginning
                 * @example ann
                 */
                search?: string;
                /**
                 * @description Accounts that have this role, among others
                 * @example ADMIN
                 */
                role?: "USER" | "EDITOR" | "ADMIN";
                /** @description `locked`: by an administrator; `locked_out`: for some time, after failed logins; `must_change`: the next login must set a password; `active`: neither locked, locked out nor disabled; `deletion_pending`: its owner has deleted it, and it waits to be erased */
                state?: "active" | "locked" | "locked_out" | "disabled" | "deletion_pending" | "must_change";
                /**
                 * @description Whether a login requires a second factor
                 * @example true
                 */
                second_factor?: boolean;
                /**
                 * @description Whether there is a verified address
                 * @example true
                 */
                verified?: boolean;
                /**
                 * @description Whether an import has made it
                 * @example true
                 */
                imported?: boolean;
                /**
                 * @description The name or the issuer of an identity provider that signs in to it; empty: accounts without one
                 * @example default
                 */
                provider?: string;
                /** @description Accounts without a login; without the two times */
                last_login?: "never";
                /**
                 * @description The last login was later
                 * @example 2026-01-15T12:00:00Z
                 */
                last_login_after?: string;
                /**
                 * @description The last login was earlier; accounts without one are not among them
                 * @example 2026-01-15T12:00:00Z
                 */
                last_login_before?: string;
                /**
                 * @description A minus stands for descending order
                 * @example -last_login_at
                 */
                sort?: "username" | "-username" | "name" | "-name" | "created_at" | "-created_at" | "last_login_at" | "-last_login_at";
                /** @description The `next` or `previous` of a page, with the same filters and `sort` */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountPage"] | components["schemas"]["FoundAccounts"];
                };
            };
            400: components["responses"]["BadRequest_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    createAccount: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description 1 to 255 visible ASCII characters: the same answer for 24 hours, done once
                 * @example 5f0c9b1e-7a34-4a55-9a3e-2f1d8c6b7e90
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "username": "ann",
                 *       "password": "gravel-otter-lantern-41",
                 *       "roles": [
                 *         "USER"
                 *       ],
                 *       "user_id": 7
                 *     }
                 */
                "application/json": components["schemas"]["NewAccount"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "username": "ann",
                     *       "user_id": 7,
                     *       "roles": [
                     *         "USER"
                     *       ],
                     *       "locked": false,
                     *       "active": true,
                     *       "second_factor": false,
                     *       "deletion_at": null,
                     *       "created_at": "2026-03-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["UserNotFound"];
            409: components["responses"]["UsernameExists_UserHasAccount"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description In any case
                 * @example ann
                 */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "username": "ann",
                     *       "user_id": 7,
                     *       "roles": [
                     *         "USER"
                     *       ],
                     *       "locked": false,
                     *       "active": true,
                     *       "second_factor": false,
                     *       "deletion_at": null,
                     *       "created_at": "2026-03-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    updateAccount: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of what the caller has seen: refused where it has changed since
                 * @example "Yd2tLC9hKZ3aQzW8vXfN1g"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description In any case
                 * @example ann
                 */
                username: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "roles": [
                 *         "USER",
                 *         "EDITOR"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AccountChanges"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "username": "ann",
                     *       "user_id": 7,
                     *       "roles": [
                     *         "USER"
                     *       ],
                     *       "locked": false,
                     *       "active": true,
                     *       "second_factor": false,
                     *       "deletion_at": null,
                     *       "created_at": "2026-03-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            409: components["responses"]["LastAdministrator"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    deleteAccount: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of what the caller has seen: refused where it has changed since
                 * @example "Yd2tLC9hKZ3aQzW8vXfN1g"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description In any case
                 * @example ann
                 */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "username": "ann",
                     *       "user_id": 7,
                     *       "roles": [
                     *         "USER"
                     *       ],
                     *       "locked": false,
                     *       "active": true,
                     *       "second_factor": false,
                     *       "deletion_at": null,
                     *       "created_at": "2026-03-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            409: components["responses"]["LastAdministrator"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description In any case
                 * @example ann
                 */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "username": "ann",
                     *       "password": "amber-violin-thicket-87"
                     *     }
                     */
                    "application/json": components["schemas"]["OneTimePassword"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    removeSecondFactor: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description In any case
                 * @example ann
                 */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "username": "ann",
                     *       "user_id": 7,
                     *       "roles": [
                     *         "USER"
                     *       ],
                     *       "locked": false,
                     *       "active": true,
                     *       "second_factor": false,
                     *       "deletion_at": null,
                     *       "created_at": "2026-03-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description In any case
                 * @example ann
                 */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "mZ1c0GQ2n5v8y3b6",
                     *         "current": true,
                     *         "created_at": "2026-03-02T09:15:00.000Z",
                     *         "last_seen_at": "2026-03-02T09:30:00.000Z",
                     *         "address": "203.0.113.9",
                     *         "user_agent": "Mozilla/5.0"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Session"][];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    endSessions: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description In any case
                 * @example ann
                 */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "All sessions and all tokens ended"
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listIdentities: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description In any case
                 * @example ann
                 */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 3,
                     *         "provider": "acme",
                     *         "issuer": "https://login.example.org",
                     *         "subject": "248289761001",
                     *         "created_at": "2026-03-02T09:45:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Identity"][];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    removeIdentity: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description In any case
                 * @example ann
                 */
                username: string;
                /**
                 * @description Anything but an integer from 1 is not found
                 * @example 3
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Identity unlinked"
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound_IdentityNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getAccountEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description In any case
                 * @example ann
                 */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": "ann@example.org",
                     *       "verified_at": "2026-03-02T09:00:00.000Z",
                     *       "pending": null,
                     *       "undeliverable_at": null,
                     *       "undeliverable_reason": null
                     *     }
                     */
                    "application/json": components["schemas"]["AccountEmail"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    removeAccountEmail: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description In any case
                 * @example ann
                 */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Email removed"
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            409: components["responses"]["EmailNotVerified"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    beginAccountReset: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description In any case
                 * @example ann
                 */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "email": "ann@example.org"
                 *     }
                 */
                "application/json": components["schemas"]["AdministratorsReset"];
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Reset mailed",
                     *       "expires_at": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["BegunAdministratorsReset"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound"];
            409: components["responses"]["EmailExists_EmailNotVerified_AccountUnusable"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            503: components["responses"]["MailUnavailable_ServiceUnavailable"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                /**
                 * @description A value that is no such integer counts as 1. To read a long list from its beginning to its end, follow `next` of `/api/v2/users`, which costs the same at any depth and neither skips nor repeats an item when others come or go
                 * @example 2
                 */
                page?: number;
                /**
                 * @description A value that is no such integer counts as 10. More than 1000 counts as 1000.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "page": 1,
                     *       "limit": 10,
                     *       "total": 1,
                     *       "data": [
                     *         {
                     *           "id": 12,
                     *           "email": "ann@example.org",
                     *           "name": "Ann Example",
                     *           "roles": [
                     *             "USER"
                     *           ],
                     *           "state": "pending",
                     *           "invited_by": 1,
                     *           "created_at": "2026-03-02T09:00:00.000Z",
                     *           "expires_at": "2026-03-09T09:00:00.000Z",
                     *           "accepted_at": null,
                     *           "revoked_at": null,
                     *           "user_id": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["InvitationPage"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    createInvitation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description 1 to 255 visible ASCII characters: the same answer for 24 hours, done once
                 * @example 5f0c9b1e-7a34-4a55-9a3e-2f1d8c6b7e90
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ann@example.org",
                 *       "roles": [
                 *         "USER"
                 *       ],
                 *       "name": "Ann Example"
                 *     }
                 */
                "application/json": components["schemas"]["NewInvitation"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 12,
                     *       "email": "ann@example.org",
                     *       "name": "Ann Example",
                     *       "roles": [
                     *         "USER"
                     *       ],
                     *       "state": "pending",
                     *       "invited_by": 1,
                     *       "created_at": "2026-03-02T09:00:00.000Z",
                     *       "expires_at": "2026-03-09T09:00:00.000Z",
                     *       "accepted_at": null,
                     *       "revoked_at": null,
                     *       "user_id": null
                     *     }
                     */
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            409: components["responses"]["EmailExists"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyLoginAttempts"];
            503: components["responses"]["MailUnavailable_ServiceUnavailable"];
            default: components["responses"]["AnyOperation"];
        };
    };
    resendInvitation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description Anything but an integer from 1 is not found
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 12,
                     *       "email": "ann@example.org",
                     *       "name": "Ann Example",
                     *       "roles": [
                     *         "USER"
                     *       ],
                     *       "state": "pending",
                     *       "invited_by": 1,
                     *       "created_at": "2026-03-02T09:00:00.000Z",
                     *       "expires_at": "2026-03-09T09:00:00.000Z",
                     *       "accepted_at": null,
                     *       "revoked_at": null,
                     *       "user_id": null
                     *     }
                     */
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["InvitationNotFound"];
            409: components["responses"]["EmailExists_InvitationClosed"];
            429: components["responses"]["TooManyLoginAttempts"];
            503: components["responses"]["MailUnavailable_ServiceUnavailable"];
            default: components["responses"]["AnyOperation"];
        };
    };
    revokeInvitation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description Anything but an integer from 1 is not found
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 12,
                     *       "email": "ann@example.org",
                     *       "name": "Ann Example",
                     *       "roles": [
                     *         "USER"
                     *       ],
                     *       "state": "pending",
                     *       "invited_by": 1,
                     *       "created_at": "2026-03-02T09:00:00.000Z",
                     *       "expires_at": "2026-03-09T09:00:00.000Z",
                     *       "accepted_at": null,
                     *       "revoked_at": null,
                     *       "user_id": null
                     *     }
                     */
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["InvitationNotFound"];
            409: components["responses"]["InvitationClosed"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getAccountDetails: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description In any case
                 * @example ann
                 */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "account": {
                     *         "username": "ann",
                     *         "user_id": 7,
                     *         "roles": [
                     *           "USER"
                     *         ],
                     *         "locked": false,
                     *         "active": true,
                     *         "second_factor": false,
                     *         "deletion_at": null,
                     *         "created_at": "2026-03-02T09:00:00.000Z"
                     *       },
                     *       "user": {
                     *         "id": 7,
                     *         "name": "Ann Example",
                     *         "email": "ann@example.org"
                     *       },
                     *       "last_login_at": "2026-03-02T09:40:00.000Z",
                     *       "failed_logins": 0,
                     *       "locked_until": null,
                     *       "last_administrator": false,
                     *       "imported": false,
                     *       "language": "en",
                     *       "password": {
                     *         "is_set": true,
                     *         "changed_at": "2026-03-02T09:00:00.000Z",
                     *         "must_change": false
                     *       },
                     *       "second_factor": null,
                     *       "email": {
                     *         "email": "ann@example.org",
                     *         "verified_at": "2026-03-02T09:00:00.000Z",
                     *         "pending": null,
                     *         "undeliverable_at": null,
                     *         "undeliverable_reason": null
                     *       },
                     *       "identities": [],
                     *       "sessions": 1,
                     *       "devices": 1,
                     *       "tokens_issued": 0,
                     *       "limits": [],
                     *       "invitations": [],
                     *       "mails": [],
                     *       "posts": 3
                     *     }
                     */
                    "application/json": components["schemas"]["AccountDetails"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listMail: {
        parameters: {
            query?: {
                /**
                 * @description A value that is no such integer counts as 1. To read a long list from its beginning to its end, follow `next` of `/api/v2/users`, which costs the same at any depth and neither skips nor repeats an item when others come or go
                 * @example 2
                 */
                page?: number;
                /**
                 * @description A value that is no such integer counts as 10. More than 1000 counts as 1000.
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description Mail in this state
                 * @example failed
                 */
                state?: "waiting" | "sending" | "sent" | "failed" | "expired" | "cancelled" | "dropped";
                /**
                 * @description Mail that says this
                 * @example reset
                 */
                message?: "sign_in" | "proof" | "sign_up" | "sign_up_exists" | "verification" | "email_change" | "reset" | "invitation" | "new_sign_in" | "password_changed" | "email_changed" | "factor_added" | "factor_removed" | "recovery_codes_renewed" | "recovery_code_used" | "identity_linked" | "identity_unlinked" | "locked" | "deletion_requested" | "deletion_requested_former" | "deletion_cancelled" | "account_deleted" | "test";
                /**
                 * @description Mail for this account
                 * @example ann
                 */
                username?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "page": 1,
                     *       "limit": 10,
                     *       "total": 0,
                     *       "data": []
                     *     }
                     */
                    "application/json": components["schemas"]["MailPage"];
                };
            };
            400: components["responses"]["BadRequest_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    sendTestMail: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "address": "postmaster@example.org"
                 *     }
                 */
                "application/json": components["schemas"]["TestMail"];
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "Zn8xQw2VbTq0yL4sKc7R1A",
                     *       "message": "reset",
                     *       "kind": "request",
                     *       "state": "waiting",
                     *       "username": "ann",
                     *       "address": "ann@example.org",
                     *       "attempts": 1,
                     *       "response": "450 4.2.0 Try again later",
                     *       "created_at": "2026-03-02T09:40:00.000Z",
                     *       "due_at": "2026-03-02T09:40:05.000Z",
                     *       "expires_at": "2026-03-02T10:10:00.000Z",
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Mail"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            503: components["responses"]["MailUnavailable_ServiceUnavailable"];
            default: components["responses"]["AnyOperation"];
        };
    };
    resendMail: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /** @example Zn8xQw2VbTq0yL4sKc7R1A */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "Zn8xQw2VbTq0yL4sKc7R1A",
                     *       "message": "reset",
                     *       "kind": "request",
                     *       "state": "waiting",
                     *       "username": "ann",
                     *       "address": "ann@example.org",
                     *       "attempts": 1,
                     *       "response": "450 4.2.0 Try again later",
                     *       "created_at": "2026-03-02T09:40:00.000Z",
                     *       "due_at": "2026-03-02T09:40:05.000Z",
                     *       "expires_at": "2026-03-02T10:10:00.000Z",
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Mail"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["MailNotFound"];
            409: components["responses"]["MailClosed"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    cancelMail: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /** @example Zn8xQw2VbTq0yL4sKc7R1A */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "Zn8xQw2VbTq0yL4sKc7R1A",
                     *       "message": "reset",
                     *       "kind": "request",
                     *       "state": "waiting",
                     *       "username": "ann",
                     *       "address": "ann@example.org",
                     *       "attempts": 1,
                     *       "response": "450 4.2.0 Try again later",
                     *       "created_at": "2026-03-02T09:40:00.000Z",
                     *       "due_at": "2026-03-02T09:40:05.000Z",
                     *       "expires_at": "2026-03-02T10:10:00.000Z",
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Mail"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["MailNotFound"];
            409: components["responses"]["MailClosed"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listMailPreviews: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "reset-by-administrator",
                     *           "message": "reset",
                     *           "kind": "request"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["MailPreviewList"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    previewMail: {
        parameters: {
            query?: {
                /**
                 * @description PAGES_LANGUAGE if absent
                 * @example de
                 */
                language?: "en" | "de";
            };
            header?: never;
            path: {
                /** @example reset-by-administrator */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "reset-by-administrator",
                     *       "message": "reset",
                     *       "kind": "request",
                     *       "language": "en",
                     *       "subject": "Set a new password",
                     *       "text": "An administrator asks you to set a new password.",
                     *       "html": "<!doctype html><html lang=\"en\"><body><p>Set a new password.</p></body></html>"
                     *     }
                     */
                    "application/json": components["schemas"]["MailPreview"];
                };
            };
            400: components["responses"]["BadRequest_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            404: components["responses"]["MailNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listLoginLimits: {
        parameters: {
            query?: {
                /**
                 * @description A value that is no such integer counts as 1. To read a long list from its beginning to its end, follow `next` of `/api/v2/users`, which costs the same at any depth and neither skips nor repeats an item when others come or go
                 * @example 2
                 */
                page?: number;
                /**
                 * @description A value that is no such integer counts as 10. More than 100 counts as 100.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "page": 1,
                     *       "limit": 10,
                     *       "accounts": {
                     *         "total": 1,
                     *         "data": [
                     *           {
                     *             "username": "ann",
                     *             "failures": 3,
                     *             "locked_until": null
                     *           }
                     *         ]
                     *       },
                     *       "counts": {
                     *         "total": 1,
                     *         "data": [
                     *           {
                     *             "count": "login",
                     *             "username": "ann",
                     *             "address": "203.0.113.9",
                     *             "used": 3,
                     *             "pending": 0,
                     *             "attempts": 5,
                     *             "blocked_until": null
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["LoginLimits"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    clearLoginLimits: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description In any case
                 * @example ann
                 */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Failed tries forgotten"
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    clearAddressLimits: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description As GET /api/admin/throttle shows it, or any address of the network
                 * @example 203.0.113.9
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Failed tries forgotten",
                     *       "address": "203.0.113.9",
                     *       "logins": 20,
                     *       "clients": 0,
                     *       "usernames": 0
                     *     }
                     */
                    "application/json": components["schemas"]["ClearedAddress"];
                };
            };
            400: components["responses"]["BadRequest_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listAuditRecords: {
        parameters: {
            query?: {
                /**
                 * @description Types of events: repeated, or between commas; at most 20
                 * @example [
                 *       "privilege_permissions_changed"
                 *     ]
                 */
                type?: string[];
                /**
                 * @description Types of this part of the service: `/api/admin/audit/types` lists them
                 * @example session
                 */
                category?: "floor" | "keys" | "audit" | "throttle" | "clients" | "authentication" | "users" | "passwords" | "accounts" | "totp" | "session" | "token" | "federation" | "posts" | "mail" | "transfer" | "emails" | "recovery" | "registration" | "email-login" | "webhooks" | "forward" | "backup";
                /**
                 * @description Types of this level
                 * @example critical
                 */
                level?: "info" | "warn" | "critical";
                /**
                 * @description Types of this outcome
                 * @example failure
                 */
                outcome?: "success" | "failure";
                /**
                 * @description Who acted: a username in any spelling, a user id, `ISSUER#SUB` or `client:ID`; `cli`, `job` or `bootstrap`. One that is unknown or erased has no records
                 * @example admin
                 */
                actor?: string;
                /**
                 * @description Whom it concerns: a username in any spelling, a user id, `ISSUER#SUB` or `client:ID`
                 * @example ann
                 */
                target?: string;
                /**
                 * @description The IP address of the client
                 * @example 203.0.113.7
                 */
                address?: string;
                /**
                 * @description X-Request-Id of an answer
                 * @example req-4f2a9c
                 */
                request_id?: string;
                /**
                 * @description From this time on
                 * @example 2026-03-01T00:00:00Z
                 */
                since?: string;
                /**
                 * @description Before this time
                 * @example 2026-04-01T00:00:00Z
                 */
                until?: string;
                /**
                 * @description A value that is no such integer counts as 10. More than 1000 counts as 1000.
                 * @example 50
                 */
                limit?: number;
                /** @description The `next` of the page before, with the same filters */
                cursor?: string;
                /** @description The `newer` of any answer: the records that were stored since, of which one call looks through 2000 */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "limit": 10,
                     *       "data": [
                     *         {
                     *           "number": 4211,
                     *           "id": "01KAYQ3V6E8X7N5T2R9W0ZB4CD",
                     *           "at": "2026-03-02T08:15:30.000Z",
                     *           "type": "privilege_permissions_changed",
                     *           "level": "warn",
                     *           "outcome": "success",
                     *           "reason": null,
                     *           "count": 1,
                     *           "count_since": null,
                     *           "actor": {
                     *             "kind": "user",
                     *             "subject": "1",
                     *             "username": "admin"
                     *           },
                     *           "target": {
                     *             "user_id": 7,
                     *             "username": "ann"
                     *           },
                     *           "details": {
                     *             "roles": [
                     *               "USER",
                     *               "ADMIN"
                     *             ],
                     *             "locked": false,
                     *             "active": true
                     *           },
                     *           "address": "203.0.113.7",
                     *           "proxies": [],
                     *           "user_agent": "Mozilla/5.0",
                     *           "session": null,
                     *           "token": "qS4hJv1bV0mX2nYcRk5tZ8uWdE7fGiL3oPaQrStUvWx",
                     *           "scheme": "bearer",
                     *           "factors": [
                     *             "pwd",
                     *             "otp",
                     *             "mfa"
                     *           ],
                     *           "method": "PUT",
                     *           "route": "/api/admin/accounts/:username",
                     *           "status": 200,
                     *           "request_id": "req-4f2a9c",
                     *           "instance": "auth-1/4242",
                     *           "version": "0.4.0",
                     *           "chain": "bV0mX2nYcRk5tZ8uWdE7fG",
                     *           "place": 17,
                     *           "erased": false,
                     *           "damaged": false
                     *         }
                     *       ],
                     *       "next": null,
                     *       "newer": "WzQyMTFd",
                     *       "has_newer": false
                     *     }
                     */
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            400: components["responses"]["BadRequest_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listAuditTypes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "type": "session_created",
                     *           "category": "session",
                     *           "level": "info",
                     *           "outcome": "success"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AuditTypeList"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    exportAuditRecords: {
        parameters: {
            query?: {
                /**
                 * @description Types of events: repeated, or between commas; at most 20
                 * @example [
                 *       "privilege_permissions_changed"
                 *     ]
                 */
                type?: string[];
                /**
                 * @description Types of this part of the service: `/api/admin/audit/types` lists them
                 * @example session
                 */
                category?: "floor" | "keys" | "audit" | "throttle" | "clients" | "authentication" | "users" | "passwords" | "accounts" | "totp" | "session" | "token" | "federation" | "posts" | "mail" | "transfer" | "emails" | "recovery" | "registration" | "email-login" | "webhooks" | "forward" | "backup";
                /**
                 * @description Types of this level
                 * @example critical
                 */
                level?: "info" | "warn" | "critical";
                /**
                 * @description Types of this outcome
                 * @example failure
                 */
                outcome?: "success" | "failure";
                /**
                 * @description Who acted: a username in any spelling, a user id, `ISSUER#SUB` or `client:ID`; `cli`, `job` or `bootstrap`. One that is unknown or erased has no records
                 * @example admin
                 */
                actor?: string;
                /**
                 * @description Whom it concerns: a username in any spelling, a user id, `ISSUER#SUB` or `client:ID`
                 * @example ann
                 */
                target?: string;
                /**
                 * @description The IP address of the client
                 * @example 203.0.113.7
                 */
                address?: string;
                /**
                 * @description X-Request-Id of an answer
                 * @example req-4f2a9c
                 */
                request_id?: string;
                /**
                 * @description From this time on
                 * @example 2026-03-01T00:00:00Z
                 */
                since?: string;
                /**
                 * @description Before this time
                 * @example 2026-04-01T00:00:00Z
                 */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "number": 4211,
                     *       "id": "01KAYQ3V6E8X7N5T2R9W0ZB4CD",
                     *       "at": "2026-03-02T08:15:30.000Z",
                     *       "type": "privilege_permissions_changed",
                     *       "level": "warn",
                     *       "outcome": "success",
                     *       "reason": null,
                     *       "count": 1,
                     *       "count_since": null,
                     *       "actor": {
                     *         "kind": "user",
                     *         "subject": "1",
                     *         "username": "admin"
                     *       },
                     *       "target": {
                     *         "user_id": 7,
                     *         "username": "ann"
                     *       },
                     *       "details": {
                     *         "roles": [
                     *           "USER",
                     *           "ADMIN"
                     *         ],
                     *         "locked": false,
                     *         "active": true
                     *       },
                     *       "address": "203.0.113.7",
                     *       "proxies": [],
                     *       "user_agent": "Mozilla/5.0",
                     *       "session": null,
                     *       "token": "qS4hJv1bV0mX2nYcRk5tZ8uWdE7fGiL3oPaQrStUvWx",
                     *       "scheme": "bearer",
                     *       "factors": [
                     *         "pwd",
                     *         "otp",
                     *         "mfa"
                     *       ],
                     *       "method": "PUT",
                     *       "route": "/api/admin/accounts/:username",
                     *       "status": 200,
                     *       "request_id": "req-4f2a9c",
                     *       "instance": "auth-1/4242",
                     *       "version": "0.4.0",
                     *       "chain": "bV0mX2nYcRk5tZ8uWdE7fG",
                     *       "place": 17,
                     *       "erased": false,
                     *       "damaged": false
                     *     }
                     */
                    "application/x-ndjson": components["schemas"]["AuditRecord"];
                };
            };
            400: components["responses"]["BadRequest_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getAuditVerification: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "last_checkpoint": {
                     *         "number": 388,
                     *         "at": "2026-03-02T08:15:00.000Z",
                     *         "age_seconds": 42
                     *       },
                     *       "checkpoint_seconds": 300,
                     *       "uncovered_seconds": 12,
                     *       "sinks": [
                     *         {
                     *           "name": "file",
                     *           "unsent_seconds": 0
                     *         }
                     *       ],
                     *       "open": null,
                     *       "last": {
                     *         "id": 3,
                     *         "state": "done",
                     *         "asked_at": "2026-03-02T08:15:28.000Z",
                     *         "started_at": "2026-03-02T08:15:30.000Z",
                     *         "finished_at": "2026-03-02T08:15:31.000Z",
                     *         "node": "gatehouse-1",
                     *         "records": 4211,
                     *         "detail": null,
                     *         "result": {
                     *           "ok": true,
                     *           "first": null,
                     *           "problem_count": 0,
                     *           "problems": [],
                     *           "fork": null,
                     *           "checked": {
                     *             "records": 4211,
                     *             "chains": 6,
                     *             "checkpoints": 388,
                     *             "tombstones": 0,
                     *             "outside": 388
                     *           },
                     *           "erased": 2,
                     *           "last_checkpoint": {
                     *             "number": 388,
                     *             "at": "2026-03-02T08:15:00.000Z"
                     *           },
                     *           "last_outside": {
                     *             "number": 388,
                     *             "at": "2026-03-02T08:15:00.000Z"
                     *           },
                     *           "uncovered": {
                     *             "records": 3,
                     *             "since": "2026-03-02T08:15:20.000Z"
                     *           },
                     *           "notes": []
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AuditVerificationState"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    verifyAudit: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 3,
                     *       "state": "done",
                     *       "asked_at": "2026-03-02T08:15:28.000Z",
                     *       "started_at": "2026-03-02T08:15:30.000Z",
                     *       "finished_at": "2026-03-02T08:15:31.000Z",
                     *       "node": "gatehouse-1",
                     *       "records": 4211,
                     *       "detail": null,
                     *       "result": {
                     *         "ok": true,
                     *         "first": null,
                     *         "problem_count": 0,
                     *         "problems": [],
                     *         "fork": null,
                     *         "checked": {
                     *           "records": 4211,
                     *           "chains": 6,
                     *           "checkpoints": 388,
                     *           "tombstones": 0,
                     *           "outside": 388
                     *         },
                     *         "erased": 2,
                     *         "last_checkpoint": {
                     *           "number": 388,
                     *           "at": "2026-03-02T08:15:00.000Z"
                     *         },
                     *         "last_outside": {
                     *           "number": 388,
                     *           "at": "2026-03-02T08:15:00.000Z"
                     *         },
                     *         "uncovered": {
                     *           "records": 3,
                     *           "since": "2026-03-02T08:15:20.000Z"
                     *         },
                     *         "notes": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AuditVerification"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /**
                 * @description A value that is no such integer counts as 1. To read a long list from its beginning to its end, follow `next` of `/api/v2/users`, which costs the same at any depth and neither skips nor repeats an item when others come or go
                 * @example 2
                 */
                page?: number;
                /**
                 * @description A value that is no such integer counts as 10. More than 1000 counts as 1000.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "page": 1,
                     *       "limit": 10,
                     *       "total": 1,
                     *       "data": [
                     *         {
                     *           "id": "01KAYQ3V6E8X7N5T2R9W0ZB4CD",
                     *           "url": "https://hr.example.org/gatehouse",
                     *           "description": "Leavers lose their accounts",
                     *           "events": [
                     *             "user_deleted",
                     *             "authn_login_lock"
                     *           ],
                     *           "content": "ids",
                     *           "state": "enabled",
                     *           "previous_secret_until": null,
                     *           "created_at": "2026-03-02T08:15:30.000Z",
                     *           "updated_at": "2026-03-02T08:15:30.000Z",
                     *           "health": {
                     *             "failing_since": null,
                     *             "succeeded_at": "2026-03-02T09:40:00.000Z",
                     *             "status": 204
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookPage"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://hr.example.org/gatehouse",
                 *       "description": "Leavers lose their accounts",
                 *       "events": [
                 *         "user_deleted",
                 *         "authn_login_lock"
                 *       ],
                 *       "content": "ids"
                 *     }
                 */
                "application/json": components["schemas"]["NewWebhook"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01KAYQ3V6E8X7N5T2R9W0ZB4CD",
                     *       "url": "https://hr.example.org/gatehouse",
                     *       "description": "Leavers lose their accounts",
                     *       "events": [
                     *         "user_deleted",
                     *         "authn_login_lock"
                     *       ],
                     *       "content": "ids",
                     *       "state": "enabled",
                     *       "previous_secret_until": null,
                     *       "created_at": "2026-03-02T08:15:30.000Z",
                     *       "updated_at": "2026-03-02T08:15:30.000Z",
                     *       "health": {
                     *         "failing_since": null,
                     *         "succeeded_at": "2026-03-02T09:40:00.000Z",
                     *         "status": 204
                     *       },
                     *       "secret": "whsec_vJCVaKLmxyZQ9SFBl3Tz3gWmm5wKXLn8s3iWmcbkCd0="
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01KAYQ3V6E8X7N5T2R9W0ZB4CD */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01KAYQ3V6E8X7N5T2R9W0ZB4CD",
                     *       "url": "https://hr.example.org/gatehouse",
                     *       "description": "Leavers lose their accounts",
                     *       "events": [
                     *         "user_deleted",
                     *         "authn_login_lock"
                     *       ],
                     *       "content": "ids",
                     *       "state": "enabled",
                     *       "previous_secret_until": null,
                     *       "created_at": "2026-03-02T08:15:30.000Z",
                     *       "updated_at": "2026-03-02T08:15:30.000Z",
                     *       "health": {
                     *         "failing_since": null,
                     *         "succeeded_at": "2026-03-02T09:40:00.000Z",
                     *         "status": 204
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            404: components["responses"]["WebhookNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of what the caller has seen: refused where it has changed since
                 * @example "Yd2tLC9hKZ3aQzW8vXfN1g"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /** @example 01KAYQ3V6E8X7N5T2R9W0ZB4CD */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "state": "disabled"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookChanges"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01KAYQ3V6E8X7N5T2R9W0ZB4CD",
                     *       "url": "https://hr.example.org/gatehouse",
                     *       "description": "Leavers lose their accounts",
                     *       "events": [
                     *         "user_deleted",
                     *         "authn_login_lock"
                     *       ],
                     *       "content": "ids",
                     *       "state": "enabled",
                     *       "previous_secret_until": null,
                     *       "created_at": "2026-03-02T08:15:30.000Z",
                     *       "updated_at": "2026-03-02T08:15:30.000Z",
                     *       "health": {
                     *         "failing_since": null,
                     *         "succeeded_at": "2026-03-02T09:40:00.000Z",
                     *         "status": 204
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["WebhookNotFound"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of what the caller has seen: refused where it has changed since
                 * @example "Yd2tLC9hKZ3aQzW8vXfN1g"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /** @example 01KAYQ3V6E8X7N5T2R9W0ZB4CD */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01KAYQ3V6E8X7N5T2R9W0ZB4CD",
                     *       "url": "https://hr.example.org/gatehouse",
                     *       "description": "Leavers lose their accounts",
                     *       "events": [
                     *         "user_deleted",
                     *         "authn_login_lock"
                     *       ],
                     *       "content": "ids",
                     *       "state": "enabled",
                     *       "previous_secret_until": null,
                     *       "created_at": "2026-03-02T08:15:30.000Z",
                     *       "updated_at": "2026-03-02T08:15:30.000Z",
                     *       "health": {
                     *         "failing_since": null,
                     *         "succeeded_at": "2026-03-02T09:40:00.000Z",
                     *         "status": 204
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["WebhookNotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of what the caller has seen: refused where it has changed since
                 * @example "Yd2tLC9hKZ3aQzW8vXfN1g"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /** @example 01KAYQ3V6E8X7N5T2R9W0ZB4CD */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01KAYQ3V6E8X7N5T2R9W0ZB4CD",
                     *       "url": "https://hr.example.org/gatehouse",
                     *       "description": "Leavers lose their accounts",
                     *       "events": [
                     *         "user_deleted",
                     *         "authn_login_lock"
                     *       ],
                     *       "content": "ids",
                     *       "state": "enabled",
                     *       "previous_secret_until": null,
                     *       "created_at": "2026-03-02T08:15:30.000Z",
                     *       "updated_at": "2026-03-02T08:15:30.000Z",
                     *       "health": {
                     *         "failing_since": null,
                     *         "succeeded_at": "2026-03-02T09:40:00.000Z",
                     *         "status": 204
                     *       },
                     *       "secret": "whsec_vJCVaKLmxyZQ9SFBl3Tz3gWmm5wKXLn8s3iWmcbkCd0="
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["WebhookNotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /** @example 01KAYQ3V6E8X7N5T2R9W0ZB4CD */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 4711,
                     *       "webhook": "01KAYQ3V6E8X7N5T2R9W0ZB4CD",
                     *       "message": "01KAYQ7T9M1D4H6J8K0M2N4P6Q",
                     *       "type": "user_deleted",
                     *       "state": "waiting",
                     *       "attempts": 2,
                     *       "status": 503,
                     *       "detail": "the answer was 503",
                     *       "at": "2026-03-02T09:40:00.000Z",
                     *       "created_at": "2026-03-02T09:40:00.120Z",
                     *       "due_at": "2026-03-02T09:45:11.000Z",
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["WebhookNotFound"];
            409: components["responses"]["WebhookDisabled"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /**
                 * @description The id of a webhook
                 * @example 01KAYQ3V6E8X7N5T2R9W0ZB4CD
                 */
                webhook?: string;
                /**
                 * @description Deliveries in this state
                 * @example failed
                 */
                state?: "waiting" | "delivered" | "failed" | "cancelled";
                /**
                 * @description The type of the event
                 * @example user_deleted
                 */
                type?: string;
                /**
                 * @description The `webhook-id`
                 * @example 01KAYQ7T9M1D4H6J8K0M2N4P6Q
                 */
                message?: string;
                /**
                 * @description Events from this time on
                 * @example 2026-03-01T00:00:00Z
                 */
                since?: string;
                /**
                 * @description Events before this time
                 * @example 2026-04-01T00:00:00Z
                 */
                until?: string;
                /**
                 * @description A value that is no such integer counts as 10. More than 1000 counts as 1000.
                 * @example 50
                 */
                limit?: number;
                /** @description The `next` of the page before, with the same filters */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "limit": 10,
                     *       "data": [
                     *         {
                     *           "id": 4711,
                     *           "webhook": "01KAYQ3V6E8X7N5T2R9W0ZB4CD",
                     *           "message": "01KAYQ7T9M1D4H6J8K0M2N4P6Q",
                     *           "type": "user_deleted",
                     *           "state": "waiting",
                     *           "attempts": 2,
                     *           "status": 503,
                     *           "detail": "the answer was 503",
                     *           "at": "2026-03-02T09:40:00.000Z",
                     *           "created_at": "2026-03-02T09:40:00.120Z",
                     *           "due_at": "2026-03-02T09:45:11.000Z",
                     *           "finished_at": null
                     *         }
                     *       ],
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDeliveryPage"];
                };
            };
            400: components["responses"]["BadRequest_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listDeliveriesOfWebhook: {
        parameters: {
            query?: {
                /**
                 * @description Deliveries in this state
                 * @example failed
                 */
                state?: "waiting" | "delivered" | "failed" | "cancelled";
                /**
                 * @description The type of the event
                 * @example user_deleted
                 */
                type?: string;
                /**
                 * @description The `webhook-id`
                 * @example 01KAYQ7T9M1D4H6J8K0M2N4P6Q
                 */
                message?: string;
                /**
                 * @description Events from this time on
                 * @example 2026-03-01T00:00:00Z
                 */
                since?: string;
                /**
                 * @description Events before this time
                 * @example 2026-04-01T00:00:00Z
                 */
                until?: string;
                /**
                 * @description A value that is no such integer counts as 10. More than 1000 counts as 1000.
                 * @example 50
                 */
                limit?: number;
                /** @description The `next` of the page before, with the same filters */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @example 01KAYQ3V6E8X7N5T2R9W0ZB4CD */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "limit": 10,
                     *       "data": [
                     *         {
                     *           "id": 4711,
                     *           "webhook": "01KAYQ3V6E8X7N5T2R9W0ZB4CD",
                     *           "message": "01KAYQ7T9M1D4H6J8K0M2N4P6Q",
                     *           "type": "user_deleted",
                     *           "state": "waiting",
                     *           "attempts": 2,
                     *           "status": 503,
                     *           "detail": "the answer was 503",
                     *           "at": "2026-03-02T09:40:00.000Z",
                     *           "created_at": "2026-03-02T09:40:00.120Z",
                     *           "due_at": "2026-03-02T09:45:11.000Z",
                     *           "finished_at": null
                     *         }
                     *       ],
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDeliveryPage"];
                };
            };
            400: components["responses"]["BadRequest_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            404: components["responses"]["WebhookNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Anything but an integer from 1 is not found
                 * @example 4711
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 4711,
                     *       "webhook": "01KAYQ3V6E8X7N5T2R9W0ZB4CD",
                     *       "message": "01KAYQ7T9M1D4H6J8K0M2N4P6Q",
                     *       "type": "user_deleted",
                     *       "state": "waiting",
                     *       "attempts": 2,
                     *       "status": 503,
                     *       "detail": "the answer was 503",
                     *       "at": "2026-03-02T09:40:00.000Z",
                     *       "created_at": "2026-03-02T09:40:00.120Z",
                     *       "due_at": "2026-03-02T09:45:11.000Z",
                     *       "finished_at": null,
                     *       "answer": "upstream is down"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDeliveryWithAnswer"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            404: components["responses"]["WebhookDeliveryNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    repeatWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /**
                 * @description Anything but an integer from 1 is not found
                 * @example 4711
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 4711,
                     *       "webhook": "01KAYQ3V6E8X7N5T2R9W0ZB4CD",
                     *       "message": "01KAYQ7T9M1D4H6J8K0M2N4P6Q",
                     *       "type": "user_deleted",
                     *       "state": "waiting",
                     *       "attempts": 2,
                     *       "status": 503,
                     *       "detail": "the answer was 503",
                     *       "at": "2026-03-02T09:40:00.000Z",
                     *       "created_at": "2026-03-02T09:40:00.120Z",
                     *       "due_at": "2026-03-02T09:45:11.000Z",
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["WebhookDeliveryNotFound"];
            409: components["responses"]["WebhookDisabled"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    repeatWebhookDeliveries: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path: {
                /** @example 01KAYQ3V6E8X7N5T2R9W0ZB4CD */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "state": "failed",
                 *       "since": "2026-03-01T00:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookRepetition"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "repeated": 12,
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["RepeatedWebhookDeliveries"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["WebhookNotFound"];
            409: components["responses"]["WebhookDisabled"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    importAccounts: {
        parameters: {
            query?: {
                /**
                 * @description Finds every mistake and changes nothing
                 * @example true
                 */
                dry_run?: boolean;
                /**
                 * @description Of a dry run: shows so many of the first lines that would be imported, and of those that would not, next to what is there now
                 * @example 100
                 */
                preview?: number;
            };
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON Lines (the schema is that of one), an array of JSON, or CSV; the content decides */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "username": "bea",
                 *       "password_hash": "$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW",
                 *       "roles": [
                 *         "USER"
                 *       ],
                 *       "created_at": "2024-05-06T07:08:09Z",
                 *       "name": "Bea Example",
                 *       "email": "bea@example.org"
                 *     }
                 */
                "application/x-ndjson": components["schemas"]["AccountImport"];
                /**
                 * @example [
                 *       {
                 *         "username": "bea",
                 *         "password_hash": "$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW",
                 *         "roles": [
                 *           "USER"
                 *         ],
                 *         "created_at": "2024-05-06T07:08:09Z",
                 *         "name": "Bea Example",
                 *         "email": "bea@example.org"
                 *       }
                 *     ]
                 */
                "application/json": components["schemas"]["AccountImport"][];
                /**
                 * @example username,roles,name,email
                 *     bea,USER,Bea Example,bea@example.org
                 */
                "text/csv": string;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "dry_run": false,
                     *       "lines": 250,
                     *       "imported": 250,
                     *       "errors": [],
                     *       "errors_total": 0
                     *     }
                     */
                    "application/json": components["schemas"]["ImportReport"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            408: components["responses"]["RequestTimeout"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listImports: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": 4,
                     *           "dry_run": false,
                     *           "started_at": "2026-03-02T08:00:00.000Z",
                     *           "seen_at": "2026-03-02T08:00:07.000Z",
                     *           "lines": 20500
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ImportsUnderWay"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    exportAccounts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "username": "ann",
                     *       "user_id": 7,
                     *       "roles": [
                     *         "USER"
                     *       ],
                     *       "locked": false,
                     *       "active": true,
                     *       "second_factor": false,
                     *       "deletion_at": null,
                     *       "created_at": "2026-03-02T09:00:00.000Z",
                     *       "name": "Ann Example",
                     *       "email": "ann@example.org",
                     *       "must_change": false
                     *     }
                     */
                    "application/x-ndjson": components["schemas"]["ExportedAccount"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    explainRefusal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The X-Request-Id of the answer
                 * @example Zk3vQ1xw-2f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "Zk3vQ1xw-2f",
                     *       "at": "2026-03-02T09:00:00.000Z",
                     *       "status": 401,
                     *       "error": "Invalid credentials",
                     *       "method": "POST",
                     *       "route": "/login",
                     *       "code": "account_locked",
                     *       "guard": "account",
                     *       "explanation": "An administrator has locked the account.",
                     *       "facts": {
                     *         "user_id": 2,
                     *         "asked_of": "login"
                     *       },
                     *       "scheme": null,
                     *       "subject": "2",
                     *       "username": "ann",
                     *       "address": "203.0.113.7",
                     *       "mends": [
                     *         "unlock"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            404: components["responses"]["RefusalNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    explain: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "username": "ann",
                 *       "route": "PUT /users/7"
                 *     }
                 */
                "application/json": components["schemas"]["Question"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "of": "PUT /users/7",
                     *       "passes": false,
                     *       "status": 403,
                     *       "error": "Access denied",
                     *       "code": "resource_rule",
                     *       "guard": "access rule",
                     *       "explanation": "The rule about the resource does not hold for this caller: not its owner, or it is locked, or of an ADMIN.",
                     *       "facts": {
                     *         "rule": "owner or ADMIN",
                     *         "lacks": [
                     *           "to be the owner, who is user 7",
                     *           "the role ADMIN"
                     *         ]
                     *       },
                     *       "subject": "2",
                     *       "username": "ann",
                     *       "route": "/users/:id",
                     *       "rule": "owner or ADMIN",
                     *       "schemes": [
                     *         "basic",
                     *         "session",
                     *         "bearer"
                     *       ],
                     *       "checks": [
                     *         {
                     *           "asks": "authentication by basic",
                     *           "passes": true,
                     *           "code": null,
                     *           "explanation": null,
                     *           "facts": {}
                     *         }
                     *       ],
                     *       "mends": [
                     *         "change_roles"
                     *       ],
                     *       "refusal": null
                     *     }
                     */
                    "application/json": components["schemas"]["Explanation"];
                };
            };
            400: components["responses"]["BadRequest_InvalidBody_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["AccountNotFound_RefusalNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "live"
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
            default: components["responses"]["AnyOperation"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ready"
                     *     }
                     */
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "service": "gatehouse",
                     *       "versions": [
                     *         "v1",
                     *         "v2"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ServiceStatus"];
                };
            };
            default: components["responses"]["AnyOperation"];
        };
    };
    getHome: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Gatehouse",
                     *       "links": {
                     *         "documentation": {
                     *           "href": "/api/docs",
                     *           "access": "ADMIN"
                     *         },
                     *         "openapi": {
                     *           "href": "/api/openapi.json",
                     *           "access": "ADMIN"
                     *         },
                     *         "jwks": {
                     *           "href": "/.well-known/jwks.json",
                     *           "access": "anyone"
                     *         },
                     *         "health": {
                     *           "href": "/health/ready",
                     *           "access": "anyone"
                     *         },
                     *         "status": {
                     *           "href": "/api/public/status",
                     *           "access": "anyone"
                     *         }
                     *       },
                     *       "sign_in": [
                     *         {
                     *           "name": "acme",
                     *           "href": "/oauth/acme/login"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Home"];
                    /** @example <!doctype html>… */
                    "text/html": string;
                };
            };
            /** @description See Other: the browser goes on */
            303: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    Location: components["headers"]["Location"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["AnyOperation_OrPage"];
        };
    };
    getStatistics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": "1.0.0",
                     *       "started_at": "2026-03-02T08:00:00.000Z",
                     *       "uptime_seconds": 5400,
                     *       "users": 8,
                     *       "accounts": {
                     *         "total": 7,
                     *         "by_role": {
                     *           "USER": 1,
                     *           "EDITOR": 1,
                     *           "ADMIN": 1
                     *         },
                     *         "locked": 0,
                     *         "disabled": 0,
                     *         "second_factor": 2,
                     *         "must_change": 1
                     *       },
                     *       "posts": 12,
                     *       "sessions": 3,
                     *       "blocked": {
                     *         "logins": 0,
                     *         "addresses": 0,
                     *         "accounts": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Statistics"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getStatisticsSeries: {
        parameters: {
            query?: {
                /** @description The length of a bucket: minutes are kept for 48 hours, hours for 90 days */
                step?: "minute" | "hour";
                /**
                 * @description The first bucket is the one that it lies in. Default: 3 hours before `to` by minutes, 7 days by hours. What is no longer kept is left out
                 * @example 2026-03-01T00:00:00Z
                 */
                from?: string;
                /**
                 * @description The last bucket is the one before it, or that it lies in. Default and latest: now
                 * @example 2026-03-02T00:00:00Z
                 */
                to?: string;
                /**
                 * @description The names of series: repeated, or between commas. Default: all
                 * @example [
                 *       "logins",
                 *       "throttled"
                 *     ]
                 */
                name?: ("throttled" | "accounts_created" | "account_lockouts" | "sessions_started" | "tokens_issued" | "logins" | "second_factor" | "mails" | "webhooks" | "requests" | "refusals" | "lost_counts")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "step_seconds": 3600,
                     *       "from": "2026-03-02T08:00:00.000Z",
                     *       "to": "2026-03-02T10:00:00.000Z",
                     *       "since": "2026-03-01T10:00:00.000Z",
                     *       "times": [
                     *         1772438400,
                     *         1772442000
                     *       ],
                     *       "series": [
                     *         {
                     *           "name": "logins",
                     *           "labels": {
                     *             "method": "password",
                     *             "result": "success"
                     *           },
                     *           "values": [
                     *             3,
                     *             5
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["StatisticsSeries"];
                };
            };
            400: components["responses"]["BadRequest_ValidationFailed"];
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example # HELP gatehouse_workers Processes of this service that have answered.
                     *     # TYPE gatehouse_workers gauge
                     *     gatehouse_workers 1
                     */
                    "text/plain": string;
                    /**
                     * @example # HELP gatehouse_workers Processes of this service that have answered.
                     *     # TYPE gatehouse_workers gauge
                     *     gatehouse_workers 1
                     */
                    "application/openmetrics-text": string;
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.0",
                     *       "info": {
                     *         "title": "Gatehouse",
                     *         "version": "1.0.0"
                     *       },
                     *       "paths": {}
                     *     }
                     */
                    "application/json": components["schemas"]["OpenApi"];
                };
            };
            default: components["responses"]["AnyOperation"];
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html>… */
                    "text/html": string;
                };
            };
            default: components["responses"]["AnyOperation_OrPage"];
        };
    };
    listBackups: {
        parameters: {
            query?: {
                /**
                 * @description A value that is no such integer counts as 1. To read a long list from its beginning to its end, follow `next` of `/api/v2/users`, which costs the same at any depth and neither skips nor repeats an item when others come or go
                 * @example 2
                 */
                page?: number;
                /**
                 * @description A value that is no such integer counts as 10. More than 1000 counts as 1000.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "page": 1,
                     *       "limit": 10,
                     *       "total": 0,
                     *       "data": []
                     *     }
                     */
                    "application/json": components["schemas"]["BackupRunPage"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    makeBackup: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `csrf_token` of the session; needed where the session authenticates
                 * @example f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0
                 */
                "X-CSRF-Token"?: components["parameters"]["X-CSRF-Token"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 12,
                     *       "state": "done",
                     *       "started_at": "2026-11-20T03:00:00.000Z",
                     *       "finished_at": "2026-11-20T03:00:04.000Z",
                     *       "node": "gatehouse-1",
                     *       "file": "gatehouse-20261120T030000Z-q3Rk0ZtB.backup",
                     *       "bytes": 14680064,
                     *       "sha256": "3f786850e387550fdab836ed7e6dc881de23001b9f5c2d3a0b9b7c6e2d9a1f04",
                     *       "detail": null
                     *     }
                     */
                    "application/json": components["schemas"]["BackupRun"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken_RecentLoginRequired"];
            403: components["responses"]["AccessDenied_CsrfTokenInvalid"];
            404: components["responses"]["RouteNotFound"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getDoctor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "checked_at": "2026-03-02T09:00:00.000Z",
                     *       "url": null,
                     *       "checks": 28,
                     *       "errors": 0,
                     *       "warnings": 0,
                     *       "advice": 0,
                     *       "unknown": 0,
                     *       "findings": []
                     *     }
                     */
                    "application/json": components["schemas"]["DoctorReport"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    getAdminStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "at": "2026-03-02T09:30:00.000Z",
                     *       "version": "1.0.0",
                     *       "node_version": "26.0.0",
                     *       "database": "sqlite",
                     *       "host": "gatehouse-1",
                     *       "base_url": "https://auth.example.org",
                     *       "started_at": "2026-03-02T08:00:00.000Z",
                     *       "uptime_seconds": 5400,
                     *       "workers": 1,
                     *       "schema": {
                     *         "version": 25,
                     *         "latest": 25
                     *       },
                     *       "jobs": [],
                     *       "throttled": {
                     *         "logins": 0,
                     *         "addresses": 0,
                     *         "accounts": 0
                     *       },
                     *       "readiness": {
                     *         "ready": true,
                     *         "reason": null,
                     *         "warnings": []
                     *       },
                     *       "mail": {
                     *         "enabled": true,
                     *         "server": true,
                     *         "waiting": 0,
                     *         "failed": 0,
                     *         "oldest_waiting_seconds": 0,
                     *         "trouble": null
                     *       },
                     *       "webhooks": {
                     *         "enabled": 1,
                     *         "disabled": 0,
                     *         "failed": 0,
                     *         "oldest_waiting_seconds": 0,
                     *         "oldest_waiting_failing_seconds": 0
                     *       },
                     *       "unusual": [],
                     *       "backups": {
                     *         "enabled": true,
                     *         "last_at": "2026-03-02T03:00:00.000Z",
                     *         "age_seconds": 23400,
                     *         "every_seconds": 86400,
                     *         "failures": 0,
                     *         "detail": null,
                     *         "warning": null
                     *       },
                     *       "unknown": []
                     *     }
                     */
                    "application/json": components["schemas"]["AdminStatus"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
    listSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": []
                     *     }
                     */
                    "application/json": components["schemas"]["SettingsList"];
                };
            };
            401: components["responses"]["AuthenticationRequired_InvalidOrExpiredToken"];
            403: components["responses"]["AccessDenied"];
            429: components["responses"]["TooManyLoginAttempts"];
            default: components["responses"]["AnyOperation"];
        };
    };
}
